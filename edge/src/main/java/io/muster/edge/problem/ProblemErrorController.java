package io.muster.edge.problem;

import io.muster.contract.problem.Problem;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers what the container gave up on: a failure in a filter, or a status set without a body. */
@RestController
final class ProblemErrorController implements ErrorController {

    private static final Logger log = LoggerFactory.getLogger(ProblemErrorController.class);

    @RequestMapping("${spring.web.error.path:${error.path:/error}}")
    ResponseEntity<Problem> error(HttpServletRequest request) {
        @Nullable Object failure = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
        @Nullable Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        if (failure instanceof Throwable thrown) {
            log.error("a request failed outside its controller", thrown);
        }
        return Problems.answer(ContainerFailures.problem(status instanceof Integer code ? code : 500));
    }
}
