package io.muster.local.observability;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A word of PromQL. Durations are numbers with units; comments and white space are none. */
record Token(Kind kind, String text) {

    enum Kind {
        NAME,
        NUMBER,
        DURATION,
        STRING,
        OPERATOR,
        END
    }

    private static final Pattern WORD = Pattern.compile("""
            \\s+|\\#[^\\n]*
            |(?<string>"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`)
            |(?<duration>(?:[0-9]+(?:ms|[smhdwy]))+(?![a-zA-Z0-9_]))
            |(?<number>0[xX][0-9a-fA-F]+|(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
            |(?<name>[a-zA-Z_][a-zA-Z0-9_]*(?::[a-zA-Z0-9_:]+)?)
            |(?<operator>=~|!~|!=|==|>=|<=|[-+*/%^(){}\\[\\],=<>@:])
            """, Pattern.COMMENTS);

    static List<Token> of(String query) {
        List<Token> tokens = new ArrayList<>();
        Matcher matcher = WORD.matcher(query);
        int at = 0;
        while (at < query.length()) {
            if (!matcher.find(at) || matcher.start() != at) {
                throw new PromQlException("nothing of PromQL begins with \"" + query.substring(at) + "\"");
            }
            add(tokens, matcher);
            at = matcher.end();
        }
        tokens.add(new Token(Kind.END, "the end"));
        return tokens;
    }

    private static void add(List<Token> tokens, Matcher matcher) {
        String string = matcher.group("string");
        if (string != null) {
            tokens.add(new Token(Kind.STRING, string.substring(1, string.length() - 1)));
        } else if (matcher.group("duration") != null) {
            tokens.add(new Token(Kind.DURATION, matcher.group()));
        } else if (matcher.group("number") != null) {
            tokens.add(new Token(Kind.NUMBER, matcher.group()));
        } else if (matcher.group("name") != null) {
            tokens.add(new Token(Kind.NAME, matcher.group()));
        } else if (matcher.group("operator") != null) {
            tokens.add(new Token(Kind.OPERATOR, matcher.group()));
        }
    }
}
