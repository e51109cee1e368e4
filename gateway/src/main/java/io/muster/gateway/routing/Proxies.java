package io.muster.gateway.routing;

import org.springframework.cloud.gateway.server.mvc.handler.ProxyExchangeHandlerFunction;

/** The proxy of each lane: they differ in how long they wait. */
record Proxies(
        ProxyExchangeHandlerFunction shortAnswers,
        ProxyExchangeHandlerFunction followedAnswers,
        ProxyExchangeHandlerFunction streamedAnswers) {

    ProxyExchangeHandlerFunction of(Lane lane) {
        return switch (lane) {
            case SUBMIT, READ -> shortAnswers;
            case LOGS -> followedAnswers;
            case STREAMS -> streamedAnswers;
        };
    }
}
