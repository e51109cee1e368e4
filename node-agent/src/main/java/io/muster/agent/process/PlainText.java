package io.muster.agent.process;

/**
 * Text of a rank as it may leave this node: one line that every service can store. Control characters and halves of
 * characters become U+FFFD, a tab a space; all other text stays as it is.
 */
public final class PlainText {

    private static final int REPLACEMENT = 0xFFFD;

    private PlainText() {}

    /** At most {@code longest} characters, and an ellipsis if there were more. */
    public static String line(String text, int longest) {
        StringBuilder plain = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            if (plain.length() + Character.charCount(character) > longest) {
                return plain.append('…').toString();
            }
            plain.appendCodePoint(plain(character));
            at += Character.charCount(character);
        }
        return plain.toString();
    }

    /** Whether a service can keep the text, in a database also: no NUL, no half of a character. */
    public static boolean isStorable(String text) {
        return text.codePoints().allMatch(character -> character != 0 && !isHalf(character));
    }

    /** Whether it is one line of visible characters and spaces. */
    public static boolean isPrintable(String text) {
        return text.codePoints().allMatch(character -> !Character.isISOControl(character) && !isHalf(character));
    }

    private static int plain(int character) {
        if (character == '\t') {
            return ' ';
        }
        return Character.isISOControl(character) || isHalf(character) ? REPLACEMENT : character;
    }

    private static boolean isHalf(int character) {
        return Character.getType(character) == Character.SURROGATE;
    }
}
