package io.godwit.api.gateway;

import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.Problem;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.route.Handler;
import io.godwit.api.route.Routes;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the routes from the document, for operations that have a handler. */
public final class RouterSetup {
    private static final Logger LOG = LoggerFactory.getLogger(RouterSetup.class);

    private RouterSetup() {}

    /** @param counts counts requests of callers that have too many under way */
    public static Router router(Vertx vertx, Contract contract, Routes routes, Gateway gateway, ApiCounts counts) {
        Router router = Router.router(vertx);
        router.route().handler(gateway::begin);
        CallerParts parts = new CallerParts(CallerParts.MOST_REQUESTS);
        Map<String, List<String>> methods = new LinkedHashMap<>();
        for (Operation operation : contract.operations()) {
            Handler unbounded = routes.handlers().get(operation.id());
            if (unbounded == null) {
                continue;
            }
            Handler handler = parts.bounded(operation, unbounded, counts);
            String path = operation.path().replaceAll("\\{(\\w+)}", ":$1");
            router.route(HttpMethod.valueOf(operation.method()), path)
                    .handler(ctx -> gateway.take(ctx, operation, handler));
            List<String> allowed = methods.computeIfAbsent(path, key -> new ArrayList<>());
            allowed.add(operation.method());
            if (operation.method().equals("GET")) {
                router.route(HttpMethod.HEAD, path).handler(ctx -> gateway.take(ctx, operation, handler));
                allowed.add("HEAD");
            }
        }
        methods.forEach((path, allowed) -> router.route(path).handler(ctx -> notAllowed(ctx, allowed, gateway)));
        router.route().handler(ctx -> gateway.refuse(ctx, Problem.notFound("the API has no such path")));
        router.route().failureHandler(ctx -> failed(ctx, gateway));
        router.errorHandler(400, ctx -> failed(ctx, gateway));
        return router;
    }

    private static void notAllowed(RoutingContext ctx, List<String> allowed, Gateway gateway) {
        ctx.response().putHeader("Allow", String.join(", ", allowed));
        gateway.refuse(
                ctx,
                new Problem(
                        405,
                        "method-not-allowed",
                        "The path has no such method",
                        "use " + String.join(" or ", allowed)));
    }

    /** Handles requests that the router itself refuses, such as a badly encoded path, and exceptions. */
    private static void failed(RoutingContext ctx, Gateway gateway) {
        int status = ctx.statusCode();
        if (status >= 400 && status < 500) {
            gateway.refuse(ctx, new Problem(status, "invalid-request", "The request is not valid", "it is malformed"));
            return;
        }
        LOG.error("request failed path={}", ctx.request().path(), ctx.failure());
        gateway.refuse(ctx, new Problem(500, "fault", "A fault of the broker", "the broker's log tells more"));
    }

    /** Answers a request that is not valid HTTP, or exceeds the limits. The connection ends. */
    public static void invalid(HttpServerRequest request, Gateway gateway) {
        SecurityHeaders.add(request);
        Throwable cause = request.decoderResult().cause();
        Problem problem;
        if (cause instanceof TooLongHttpLineException) {
            problem =
                    new Problem(414, "line-too-long", "The request line is too long", "shorten the path or the query");
        } else if (cause instanceof TooLongHttpHeaderException) {
            problem = new Problem(431, "headers-too-long", "The headers are too long", "send fewer or shorter headers");
        } else {
            problem = new Problem(400, "invalid-request", "The request is not valid", "it is not well-formed HTTP/1.1");
        }
        request.response().putHeader("Connection", "close");
        gateway.refuse(request, problem);
        request.connection().shutdown();
    }
}
