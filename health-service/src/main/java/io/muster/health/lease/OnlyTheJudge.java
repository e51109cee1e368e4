package io.muster.health.lease;

import io.muster.edge.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.HandlerInterceptor;

/** Sends agents to the judge: 307 with its address, or 503 while there is none. */
final class OnlyTheJudge implements HandlerInterceptor {

    private final JudgeSeat seat;

    OnlyTheJudge(JudgeSeat seat) {
        this.seat = seat;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (seat.judging()) {
            return true;
        }
        Optional<String> elsewhere = seat.judgeElsewhere();
        elsewhere.ifPresent(url -> response.setHeader(HttpHeaders.LOCATION, url + request.getRequestURI()));
        throw new ProblemException(JudgeSeat.refusal(elsewhere.isPresent() ? 307 : 503, elsewhere.orElse(null)));
    }
}
