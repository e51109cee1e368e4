package io.muster.testing;

/** One database of a test, with the role that owns it. */
public record TestDatabase(String name, String url, String user, String password) {

    @Override
    public String toString() {
        return "TestDatabase[" + name + "]";
    }
}
