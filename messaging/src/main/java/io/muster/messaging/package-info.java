/**
 * Delivery guarantees and nothing else. Entry rule: nothing enters this package unless it concerns delivery guarantees.
 *
 * <p>A service appends {@link io.muster.messaging.OutgoingEvent}s to the {@link io.muster.messaging.Outbox} inside its
 * transaction and declares {@link io.muster.messaging.EventSubscription} beans; this module's auto-configuration does
 * the rest. The service adds {@code classpath:db/messaging} to {@code spring.flyway.locations}; the scripts there have
 * versions below 1 ({@code V0_1}) so that they never meet the service's own. See {@code docs/messaging.md}.
 */
@NullMarked
package io.muster.messaging;

import org.jspecify.annotations.NullMarked;
