package io.muster.gateway.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

/**
 * One public path of a service.
 *
 * @param template segments in braces stand for one name each
 * @param streamed may also be asked for as {@code text/event-stream}
 */
record Route(HttpMethod method, String template, Target target, Lane lane, boolean streamed) {

    /** Ids, node names and dotted paths; nothing that a URL would have to escape, and never only dots. */
    private static final Pattern NAME = Pattern.compile("(?!\\.+$)[A-Za-z0-9._~-]{1,255}");

    private static final Pattern SLASH = Pattern.compile("/");

    /** Whoever names the type of a stream gets one, as the services decide too; a wildcard does not name it. */
    Lane laneFor(List<MediaType> accept) {
        return streamed && accept.stream().anyMatch(MediaType.TEXT_EVENT_STREAM::equalsTypeAndSubtype)
                ? Lane.STREAMS
                : lane;
    }

    /**
     * The path to ask the service for, put together from the template and the names in the given one; so what a service
     * is asked for is always of a form in the table. Empty when the path is not of this form.
     */
    Optional<String> rebuild(String path) {
        List<String> wanted = segments(template);
        List<String> given = segments(path);
        if (given.size() != wanted.size()) {
            return Optional.empty();
        }
        List<String> rebuilt = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            String segment = wanted.get(i);
            String name = given.get(i);
            boolean fits = segment.startsWith("{") ? NAME.matcher(name).matches() : segment.equals(name);
            if (!fits) {
                return Optional.empty();
            }
            rebuilt.add(segment.startsWith("{") ? name : segment);
        }
        return Optional.of(String.join("/", rebuilt));
    }

    private static List<String> segments(String path) {
        return List.of(SLASH.split(path, -1));
    }
}
