package io.muster.job.neighbour;

/** What became of a question to another service: an answer, or why there is none yet. */
public sealed interface Answer<T> {

    record Given<T>(T value) implements Answer<T> {}

    /** Nothing is known; the question may be asked again. */
    record Missing<T>(String why) implements Answer<T> {}
}
