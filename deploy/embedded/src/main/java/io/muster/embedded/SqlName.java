package io.muster.embedded;

/** The only names put into SQL text here: lower case letters, digits and underscores, so that none needs quoting. */
final class SqlName {

    private SqlName() {}

    static String checked(String name) {
        if (!name.matches("[a-z_][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException("\"" + name
                    + "\" cannot name a database or role: use 1 to 63 of a-z, 0-9 and _, not beginning with a digit");
        }
        return name;
    }
}
