package io.godwit.api.route;

import io.godwit.api.auth.Principal;
import io.godwit.api.contract.FieldError;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.AnswerRoom;
import io.godwit.api.http.BodyDrain;
import io.godwit.api.http.BodyStream;
import io.godwit.api.http.BodyWriter;
import io.godwit.api.http.Connections;
import io.godwit.api.http.Limits;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.StreamWriter;
import io.godwit.api.http.Workers;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.WatchFeed;
import io.godwit.api.stream.EventStreams;
import io.godwit.api.stream.StreamReply;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers. Confined to the event loop. */
public final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    /** Who is refused for asking too often gets that answer late: it asks less often then. */
    private static final long LATE_MILLIS = 200;

    private final Vertx vertx;
    private final Connections connections;
    private final Limits limits;
    private final Workers bodies;
    private final EventStreams streams;
    private final Authenticator authenticator;
    private final ApiCounts counts;
    private final boolean checks;
    private final AnswerRoom room = AnswerRoom.ofHeap();

    /** @param bodies threads for bodies that are made while they are sent */
    Answers(
            Vertx vertx,
            Connections connections,
            Limits limits,
            Workers bodies,
            EventStreams streams,
            Authenticator authenticator,
            ApiCounts counts,
            boolean checks) {
        this.vertx = vertx;
        this.connections = connections;
        this.limits = limits;
        this.bodies = bodies;
        this.streams = streams;
        this.authenticator = authenticator;
        this.counts = counts;
        this.checks = checks;
    }

    void late(RoutingContext ctx, Problem problem) {
        if (Bodies.isAnnounced(ctx.request())) {
            ctx.request().pause();
        }
        ctx.response().putHeader("Retry-After", "1");
        vertx.setTimer(LATE_MILLIS, now -> problem(ctx, problem));
    }

    /** Answers with a problem. The connection of a request whose body was not read ends. */
    void problem(RoutingContext ctx, Problem problem) {
        problem(ctx.request(), problem);
    }

    void problem(HttpServerRequest request, Problem problem) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        counts.problem(problem.kind());
        if (problem.status() == 401) {
            response.putHeader("WWW-Authenticate", "Bearer realm=\"godwit\"");
        }
        if (problem.status() == 503) {
            response.putHeader("Retry-After", "1");
        }
        boolean isUnread = Bodies.isAnnounced(request) && !request.isEnded();
        if (isUnread) {
            response.putHeader("Connection", "close");
        }
        response.setStatusCode(problem.status()).putHeader("Content-Type", Problem.CONTENT_TYPE);
        response.end(problem.json().toBuffer());
        if (isUnread) {
            BodyDrain.closeAfter(request);
        }
    }

    void reply(RoutingContext ctx, Operation operation, Reply reply, Call call) {
        if (checks) {
            Object body =
                    reply.json() != null ? reply.json() : reply.contentType().isEmpty() ? "" : "text";
            List<FieldError> errors = operation.answerErrors(reply.status(), reply.mediaType(), body);
            if (!errors.isEmpty()) {
                LOG.error("answer is not as the document says operation={} errors={}", operation.id(), errors);
                reply.drop();
                problem(ctx, new Problem(500, "fault", "A fault of the broker", "the answer is not as documented"));
                return;
            }
        }
        HttpServerResponse response = ctx.response();
        if (response.ended() || response.closed()) {
            reply.drop();
            return;
        }
        response.setStatusCode(reply.status()).putHeader("Content-Security-Policy", reply.policy());
        if (reply.contentType().isEmpty()) {
            response.end();
            return;
        }
        response.putHeader("Content-Type", reply.contentType());
        BodyStream stream = reply.stream();
        if (stream != null) {
            send(ctx, stream);
            return;
        }
        StreamReply events = reply.events();
        if (events != null) {
            stream(ctx, operation, events, call);
            return;
        }
        byte[] body = reply.body();
        Object json = reply.json();
        if (json != null) {
            body = Json.encode(chosen(json, call)).getBytes(StandardCharsets.UTF_8);
        }
        byte[] bytes = body == null ? new byte[0] : body;
        boolean isOwn = json != null; // files and scrapes are shared by whoever reads them
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            response.putHeader("Content-Length", Integer.toString(bytes.length));
            response.end();
        } else if (isOwn && !room.tryTake(bytes.length)) {
            problem(ctx, Problem.unavailable("too many large answers are under way; read them, or ask for less"));
        } else {
            BodyWriter.send(response, bytes).onComplete(sent -> {
                if (isOwn) {
                    room.give(bytes.length);
                }
            });
        }
    }

    private void send(RoutingContext ctx, BodyStream stream) {
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            stream.close();
            ctx.response().end();
        } else {
            StreamWriter.send(vertx, ctx.request(), stream, connections, limits.idleTimeout(), bodies);
        }
    }

    private void stream(RoutingContext ctx, Operation operation, StreamReply reply, Call call) {
        HttpServerRequest request = ctx.request();
        HttpServerResponse response = ctx.response();
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
            return;
        }
        Principal caller = call.caller().orElseThrow(); // no operation that streams is for everybody
        try {
            streams.requireRoom(caller.name());
            response.putHeader("X-Accel-Buffering", "no"); // or nginx keeps events back until it has some kilobytes
            streams.begin(
                    caller.name(),
                    response,
                    reply,
                    () -> connections.expire(request.connection()),
                    () -> authenticator.isStill(caller, request),
                    item -> !checks || isAsDocumented(operation, item));
            connections.streams(request.connection(), reply.longest());
        } catch (ProblemException | NotServingException e) {
            problem(ctx, Gateway.problem(e, operation));
        }
    }

    private static boolean isAsDocumented(Operation operation, WatchFeed.Item item) {
        List<FieldError> errors = operation.eventErrors(item.name(), new JsonObject(item.data()));
        if (!errors.isEmpty()) {
            LOG.error("event is not as the document says operation={} errors={}", operation.id(), errors);
        }
        return errors.isEmpty();
    }

    /** With those fields only that the call wants. */
    private static Object chosen(Object json, Call call) {
        if (!(json instanceof JsonObject object)
                || !(call.parameters().getValue("fields") instanceof JsonArray fields)) {
            return json;
        }
        Set<String> wanted = fields.stream().map(String.class::cast).collect(Collectors.toSet());
        if (object.getValue("items") instanceof JsonArray items) {
            items.forEach(item -> ((JsonObject) item).getMap().keySet().retainAll(wanted));
        }
        if (object.getValue("item") instanceof JsonObject item) {
            item.getMap().keySet().retainAll(wanted);
        }
        return object;
    }
}
