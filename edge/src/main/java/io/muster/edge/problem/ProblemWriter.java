package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Writes a problem where no controller is in reach: filters and the security chain. */
public final class ProblemWriter {

    private static final int SHOWN_PATH = 200;

    private final JsonMapper json;

    public ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    public void write(HttpServletResponse response, Problem problem) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.setStatus(problem.status());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.getOutputStream().write(json.writeValueAsBytes(Problems.traced(problem)));
    }

    public static Problem unknownPath(String method, String path) {
        String shown = path.length() <= SHOWN_PATH ? path : path.substring(0, SHOWN_PATH) + "…";
        return Problem.of(
                404,
                "NOT_FOUND",
                "Nothing here",
                "There is nothing at " + method + " " + shown + ".",
                "The paths are in /api/v1/openapi.json of the gateway.");
    }
}
