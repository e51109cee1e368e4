package io.muster.edge.identity;

import io.muster.contract.problem.Problem;
import io.muster.edge.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Hands the proven caller to a controller; a controller that asks for a kind its path does not have refuses. */
final class CallerArgumentResolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return Caller.class.isAssignableFrom(parameter.getParameterType());
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        @Nullable
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication instanceof CallerAuthentication known
                && parameter.getParameterType().isInstance(known.getPrincipal())) {
            return known.getPrincipal();
        }
        throw new ProblemException(Problem.of(
                403,
                "FORBIDDEN",
                "Not for this caller",
                "This path is not for the kind of token that was sent.",
                null));
    }
}
