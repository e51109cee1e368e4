package io.muster.local.observability;

import io.muster.local.observability.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Reads a query by the grammar of PromQL and works out which labels its result has. A query is refused if it does not parse, names a series
 * or a label that does not exist, matches a value that a label never has, takes a rate of what is no counter, takes
 * something else of a counter, groups or joins by a label that is not there, or asks for a quantile without {@code le}.
 */
final class PromQl {

    private static final List<Set<String>> BY_PRECEDENCE = List.of(
            Set.of("or"),
            Set.of("and", "unless"),
            Set.of("==", "!=", "<=", "<", ">=", ">"),
            Set.of("+", "-"),
            Set.of("*", "/", "%"),
            Set.of("^"));
    private static final Set<String> AGGREGATIONS =
            Set.of("sum", "min", "max", "avg", "count", "group", "stddev", "topk", "bottomk", "quantile");
    private static final Set<String> WITH_PARAMETER = Set.of("topk", "bottomk", "quantile");
    private static final Set<String> RATES = Set.of("rate", "irate", "increase");
    private static final Set<String> OVER_TIME = Set.of(
            "avg_over_time", "max_over_time", "min_over_time", "count_over_time", "last_over_time", "delta", "changes");
    private static final Set<String> PLAIN = Set.of("abs", "ceil", "floor", "round", "clamp_min", "clamp_max", "sort");

    /** What a part of a query is: a number has no labels at all, a selector may still be a counter's. */
    private record Part(boolean number, boolean range, boolean rises, Set<String> labels) {
        static final Part NUMBER = new Part(true, false, false, Set.of());

        static Part vector(Set<String> labels) {
            return new Part(false, false, false, labels);
        }
    }

    private final Function<String, Optional<Series>> known;
    private final List<Token> tokens;
    private final Set<String> names = new TreeSet<>();
    private int at;

    private PromQl(String query, Function<String, Optional<Series>> known) {
        this.known = known;
        this.tokens = Token.of(query);
    }

    /** @param names the series that it reads */
    record Checked(Set<String> names, Set<String> labels) {}

    static Checked check(String query, Function<String, Optional<Series>> known) {
        PromQl read = new PromQl(query, known);
        Part result = read.binary(0);
        read.end(query);
        instant(result, "the query");
        return new Checked(read.names, result.labels());
    }

    /** One series as the input of a test names it, a counter too. */
    static void checkSeries(String series, Function<String, Optional<Series>> known) {
        PromQl read = new PromQl(series, known);
        read.selector(read.take(Kind.NAME).text());
        read.end(series);
    }

    private void end(String query) {
        if (peek().kind() != Kind.END) {
            throw new PromQlException("after a whole query comes " + peek().text() + ": " + query);
        }
    }

    private Part binary(int level) {
        if (level == BY_PRECEDENCE.size()) {
            return unary();
        }
        Part left = binary(level + 1);
        while (BY_PRECEDENCE.get(level).contains(peek().text()) && peek().kind() != Kind.STRING) {
            String operator = next().text();
            left = joined(operator, left, level);
        }
        return left;
    }

    private Part joined(String operator, Part left, int level) {
        boolean bool = takeIf("bool");
        Optional<String> matching = takeOneOf("on", "ignoring");
        Set<String> by = matching.isPresent() ? labelList() : Set.of();
        Optional<String> group = takeOneOf("group_left", "group_right");
        Set<String> taken = group.isPresent() && peek().text().equals("(") ? labelList() : Set.of();
        Part right = binary(operator.equals("^") ? level : level + 1);
        instant(left, operator);
        instant(right, operator);
        if (bool && !BY_PRECEDENCE.get(2).contains(operator)) {
            throw new PromQlException("bool does not go with " + operator);
        }
        if (left.number() || right.number()) {
            return left.number() ? right : left;
        }
        comparable(left, right, matching.orElse(""), by, operator);
        if (level <= 1) {
            Set<String> labels = new TreeSet<>(left.labels());
            if (operator.equals("or")) {
                labels.addAll(right.labels());
            }
            return Part.vector(labels);
        }
        return Part.vector(labelsOfJoin(left, right, matching.orElse(""), by, group.orElse(""), taken));
    }

    private static void comparable(Part left, Part right, String matching, Set<String> by, String operator) {
        if (matching.equals("on")) {
            required(by, left, operator);
            required(by, right, operator);
        } else if (!operator.equals("or")) {
            Set<String> first = new TreeSet<>(left.labels());
            Set<String> second = new TreeSet<>(right.labels());
            first.removeAll(by);
            second.removeAll(by);
            if (!first.equals(second)) {
                throw new PromQlException(operator + ": " + first + " never matches " + second);
            }
        }
    }

    private static Set<String> labelsOfJoin(
            Part left, Part right, String matching, Set<String> by, String group, Set<String> taken) {
        if (!group.isEmpty()) {
            Set<String> labels = new TreeSet<>(group.equals("group_left") ? left.labels() : right.labels());
            labels.addAll(taken);
            return labels;
        }
        if (matching.equals("on")) {
            return by;
        }
        Set<String> labels = new TreeSet<>(left.labels());
        labels.removeAll(by);
        return labels;
    }

    private Part unary() {
        if (takeOneOf("-", "+").isPresent()) {
            return unary();
        }
        Part part = primary();
        while (true) {
            if (takeIf("[")) {
                part = ranged(part);
            } else if (takeIf("offset")) {
                takeIf("-");
                take(Kind.DURATION);
            } else {
                return part;
            }
        }
    }

    private Part ranged(Part part) {
        take(Kind.DURATION);
        if (takeIf(":")) {
            if (peek().kind() == Kind.DURATION) {
                next();
            }
        }
        expect("]");
        return new Part(false, true, part.rises(), part.labels());
    }

    private Part primary() {
        Token token = next();
        return switch (token.kind()) {
            case NUMBER -> Part.NUMBER;
            case NAME -> named(token.text());
            case OPERATOR -> {
                if (!token.text().equals("(")) {
                    throw new PromQlException("no expression begins with " + token.text());
                }
                Part inner = binary(0);
                expect(")");
                yield inner;
            }
            case DURATION, STRING, END -> throw new PromQlException("no expression begins with " + token.text());
        };
    }

    private Part named(String name) {
        if (AGGREGATIONS.contains(name)) {
            return aggregation(name);
        }
        return peek().text().equals("(") ? call(name) : selector(name);
    }

    private Part aggregation(String name) {
        Optional<String> before = takeOneOf("by", "without");
        Set<String> grouping = before.isPresent() ? labelList() : Set.of();
        List<Part> arguments = arguments();
        Optional<String> after = before.isPresent() ? before : takeOneOf("by", "without");
        if (before.isEmpty() && after.isPresent()) {
            grouping = labelList();
        }
        if (arguments.size() != (WITH_PARAMETER.contains(name) ? 2 : 1)) {
            throw new PromQlException(name + " does not take " + arguments.size() + " arguments");
        }
        Part over = arguments.getLast();
        instant(over, name);
        if (over.number()) {
            throw new PromQlException(name + " is taken of series, not of a number");
        }
        required(grouping, over, name);
        if (name.equals("topk") || name.equals("bottomk")) {
            return over;
        }
        if (after.orElse("by").equals("by")) {
            return Part.vector(grouping);
        }
        Set<String> rest = new TreeSet<>(over.labels());
        rest.removeAll(grouping);
        return Part.vector(rest);
    }

    private Part call(String name) {
        if (name.equals("time")) {
            arguments();
            return Part.NUMBER;
        }
        int start = at;
        List<Part> arguments = arguments();
        Part first = arguments.isEmpty() ? Part.NUMBER : arguments.getFirst();
        if (RATES.contains(name) || OVER_TIME.contains(name)) {
            if (!first.range()) {
                throw new PromQlException(name + " needs a range, such as [5m]");
            }
            if (RATES.contains(name) != first.rises()) {
                throw new PromQlException(
                        name + " is taken of " + (first.rises() ? "a counter" : "a gauge") + ": " + names);
            }
            return Part.vector(first.labels());
        }
        return switch (name) {
            case "histogram_quantile" -> quantile(arguments);
            case "vector" -> Part.vector(Set.of());
            case "scalar" -> Part.NUMBER;
            case "absent" -> Part.vector(equalityLabels(start));
            default -> {
                if (!PLAIN.contains(name)) {
                    throw new PromQlException("the function " + name + " is not known");
                }
                instant(first, name);
                yield first;
            }
        };
    }

    private static Part quantile(List<Part> arguments) {
        if (arguments.size() != 2 || !arguments.getLast().labels().contains("le")) {
            throw new PromQlException("histogram_quantile needs a number and buckets with their label le");
        }
        Set<String> labels = new TreeSet<>(arguments.getLast().labels());
        labels.remove("le");
        return Part.vector(labels);
    }

    /** What is absent has the labels that were asked for by =. */
    private Set<String> equalityLabels(int from) {
        Set<String> labels = new TreeSet<>();
        for (int i = from; i + 1 < at; i++) {
            if (tokens.get(i).kind() == Kind.NAME && tokens.get(i + 1).text().equals("=")) {
                labels.add(tokens.get(i).text());
            }
        }
        return labels;
    }

    private Part selector(String name) {
        Series series = known.apply(name).orElseThrow(() -> new PromQlException("nobody measures " + name));
        names.add(name);
        if (takeIf("{")) {
            while (!takeIf("}")) {
                matcher(name, series.labels());
                if (!peek().text().equals("}")) {
                    expect(",");
                }
            }
        }
        return new Part(
                false, false, series.rises(), new TreeSet<>(series.labels().keySet()));
    }

    private void matcher(String name, Map<String, List<String>> labels) {
        String label = take(Kind.NAME).text();
        String operator = next().text();
        String value = take(Kind.STRING).text();
        List<String> values = labels.get(label);
        if (values == null) {
            throw new PromQlException(name + " has no label " + label + ", only " + labels.keySet());
        }
        List<String> alternatives = operator.endsWith("~") ? List.of(value.split("\\|", -1)) : List.of(value);
        for (String alternative : alternatives) {
            boolean possible = values.isEmpty()
                    || values.stream()
                            .anyMatch(
                                    operator.endsWith("~")
                                            ? Pattern.compile(alternative).asMatchPredicate()
                                            : alternative::equals);
            if (!possible) {
                throw new PromQlException(name + "{" + label + "} is never " + alternative + ", only " + values);
            }
        }
    }

    private List<Part> arguments() {
        expect("(");
        List<Part> found = new ArrayList<>();
        while (!takeIf(")")) {
            found.add(binary(0));
            if (!peek().text().equals(")")) {
                expect(",");
            }
        }
        return found;
    }

    private Set<String> labelList() {
        Set<String> found = new TreeSet<>();
        expect("(");
        while (!takeIf(")")) {
            found.add(take(Kind.NAME).text());
            if (!peek().text().equals(")")) {
                expect(",");
            }
        }
        return found;
    }

    private static void instant(Part part, String by) {
        if (part.range()) {
            throw new PromQlException(by + " does not take a range");
        }
        if (part.rises()) {
            throw new PromQlException(by + " takes a counter as it is; only its rate or increase means something");
        }
    }

    private static void required(Set<String> wanted, Part part, String by) {
        if (!part.labels().containsAll(wanted)) {
            throw new PromQlException(by + " goes by " + wanted + ", but there is only " + part.labels());
        }
    }

    private Token peek() {
        return tokens.get(at);
    }

    private Token next() {
        Token token = tokens.get(at);
        at = Math.min(at + 1, tokens.size() - 1);
        return token;
    }

    private boolean takeIf(String text) {
        boolean there = peek().text().equals(text) && peek().kind() != Kind.STRING;
        if (there) {
            next();
        }
        return there;
    }

    private Optional<String> takeOneOf(String... texts) {
        for (String text : texts) {
            if (takeIf(text)) {
                return Optional.of(text);
            }
        }
        return Optional.empty();
    }

    private void expect(String text) {
        if (!takeIf(text)) {
            throw new PromQlException(text + " expected, not " + peek().text());
        }
    }

    private Token take(Kind kind) {
        Token token = next();
        if (token.kind() != kind) {
            throw new PromQlException(kind + " expected, not " + token.text());
        }
        return token;
    }
}
