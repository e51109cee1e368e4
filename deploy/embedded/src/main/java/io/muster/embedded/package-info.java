/**
 * PostgreSQL and a Kafka broker without a container engine: what {@code ./muster up} and the tests run on. Both are the
 * real servers, on loopback only, with their data kept in a folder of the caller's.
 */
@NullMarked
package io.muster.embedded;

import org.jspecify.annotations.NullMarked;
