package io.muster.messaging;

/** A small whole state: the data of the tests' events. */
record Meter(long value, String note) {}
