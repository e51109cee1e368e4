package io.muster.gateway.access;

import io.muster.edge.identity.UserCaller;

/** What a presented secret is worth. */
public sealed interface KeyVerdict {

    record Accepted(UserCaller caller) implements KeyVerdict {}

    /** The secret is right and the key is not good any more. */
    record Refused(String reason) implements KeyVerdict {}

    /** No such key or not its secret; which of both is not told. */
    record Unknown() implements KeyVerdict {}
}
