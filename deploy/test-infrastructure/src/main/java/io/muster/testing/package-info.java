/**
 * What the tests of every service stand on: a real PostgreSQL and a real Kafka (containers where Docker answers,
 * embedded where not; {@code -Dmuster.test.embedded=true} forces the latter), one of each per test JVM; a
 * reader of streams; and the architecture rules of the house.
 */
@NullMarked
package io.muster.testing;

import org.jspecify.annotations.NullMarked;
