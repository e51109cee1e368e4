package io.muster.quota.tree;

/** Something legal that its author may not have meant. */
record Notice(String pointer, String message) {}
