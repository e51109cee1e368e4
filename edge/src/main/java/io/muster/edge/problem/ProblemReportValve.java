package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Replaces the container's page for requests it refuses before any servlet sees them, such as a bad request line. */
final class ProblemReportValve extends ErrorReportValve {

    private final JsonMapper json;

    ProblemReportValve(JsonMapper json) {
        this.json = json;
    }

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        Problem problem = ContainerFailures.problem(response.getStatus());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        try {
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(json.writeValueAsString(problem));
                response.finishResponse();
            }
        } catch (IOException e) {
            container.getLogger().debug("the caller has gone", e);
        }
    }
}
