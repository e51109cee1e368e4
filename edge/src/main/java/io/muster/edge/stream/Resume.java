package io.muster.edge.stream;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.problem.ProblemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a stream begins. */
public sealed interface Resume {

    /** The suffix of the id with which a stream told that there will be nothing more. */
    String END = "-end";

    /** With the present state. */
    record Anew() implements Resume {}

    /** With the present state, because nothing can follow the number that was sent. */
    record Reset(long number, long newest) implements Resume {}

    /**
     * With what came after the number.
     *
     * @param ended the stream said that it was at its end
     */
    record After(long number, boolean ended) implements Resume {}

    Pattern ID = Pattern.compile("(\\d{1,18})(" + END + ")?");

    /**
     * @param issued the highest number there is; a higher one is of another life of the database
     * @param mostBehind catching up from further back costs more than beginning anew
     */
    static Resume of(@Nullable String lastEventId, long issued, long mostBehind) {
        if (lastEventId == null || lastEventId.isEmpty()) {
            return new Anew();
        }
        Matcher id = ID.matcher(lastEventId);
        if (!id.matches()) {
            throw new ProblemException(notAnId(lastEventId));
        }
        long number = Long.parseLong(id.group(1));
        if (id.group(2) != null) {
            return new After(number, true);
        }
        return number > issued || issued - number > mostBehind ? new Reset(number, issued) : new After(number, false);
    }

    private static Problem notAnId(String text) {
        String shown = text.length() > 100 ? text.substring(0, 100) + "…" : text;
        return Problem.of(
                        400,
                        "INVALID_PARAMETER",
                        "A parameter is not valid",
                        "Header 'Last-Event-ID' is not an id that a stream has sent (it was '" + shown + "').",
                        "Send the id of the last event as it came, or leave the header out to begin anew.")
                .with(List.of(new Violation("/Last-Event-ID", "not an id of ours", shown, "digits, as in id: 4711")));
    }
}
