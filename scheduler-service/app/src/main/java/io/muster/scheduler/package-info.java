/**
 * Who gets which GPUs: Spring around the scheduling core. {@code intake} keeps what others own, {@code leadership} says
 * who decides, {@code cycle} decides on one thread, {@code allocation} commits and remembers, {@code visibility} answers.
 */
@NullMarked
package io.muster.scheduler;

import org.jspecify.annotations.NullMarked;
