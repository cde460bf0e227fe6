package io.godwit.api.gateway;

import io.godwit.api.auth.Principal;
import io.godwit.api.contract.FieldError;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.AnswerRoom;
import io.godwit.api.http.BodyDrain;
import io.godwit.api.http.BodyStream;
import io.godwit.api.http.BodyWriter;
import io.godwit.api.http.JsonWeight;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.StreamWriter;
import io.godwit.api.http.WorkerPools;
import io.godwit.api.http.Workers;
import io.godwit.api.http.gate.Connections;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.api.route.Call;
import io.godwit.api.route.EntityTags;
import io.godwit.api.route.Reply;
import io.godwit.api.stream.EventStreams;
import io.godwit.api.stream.StreamCaller;
import io.godwit.api.stream.StreamReply;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers. Confined to the event loop, except that another thread encodes large ones. */
public final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    /** Delays the answer to a rate-limited caller, which then asks less often. */
    private static final long LATE_MILLIS = 200;

    /** The most bytes of an encoded answer. The largest message shown has some 50 MiB, if all of it is escaped. */
    static final long MOST_BYTES = 64L << 20;

    private final Vertx vertx;
    private final Connections connections;
    private final HttpLimits limits;
    private final Workers bodies;
    private final Workers encoders;
    private final EventStreams streams;
    private final Authenticator authenticator;
    private final ApiCounts counts;
    private final boolean checks;
    private final AnswerRoom room = AnswerRoom.ofHeap();
    private final CallerParts encodings = new CallerParts(CallerParts.MOST_ENCODED);

    /** @param checks whether answers are compared with the contract */
    public Answers(
            Vertx vertx,
            Connections connections,
            HttpLimits limits,
            WorkerPools pools,
            EventStreams streams,
            Authenticator authenticator,
            ApiCounts counts,
            boolean checks) {
        this.vertx = vertx;
        this.connections = connections;
        this.limits = limits;
        this.bodies = pools.bodies();
        this.encoders = pools.encoders();
        this.streams = streams;
        this.authenticator = authenticator;
        this.counts = counts;
        this.checks = checks;
    }

    /** Counts the end of a request. */
    void count(RoutingContext ctx) {
        String operation = ctx.get(Operation.class.getName(), ApiCounts.NO_OPERATION);
        counts.answered(operation, ctx.response().headWritten() ? ctx.response().getStatusCode() : 0);
    }

    /** Answers a request that is not valid HTTP, and counts it. */
    void unparsed(HttpServerRequest request, Problem problem) {
        problem(request, problem);
        counts.answered(ApiCounts.NO_OPERATION, problem.status());
    }

    /** Answers a caller that has reached a limit, with a delay. */
    void limited(RoutingContext ctx, ApiCounts.Bound over, Problem problem) {
        counts.limited(over);
        late(ctx, problem);
    }

    private void late(RoutingContext ctx, Problem problem) {
        if (Bodies.isAnnounced(ctx.request())) {
            ctx.request().pause();
        }
        ctx.response().putHeader("Retry-After", "1");
        vertx.setTimer(LATE_MILLIS, now -> problem(ctx, problem));
    }

    /** Answers with a problem. If the body of the request was not read, the connection ends. */
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
        if (problem.retryAfterSeconds() > 0) {
            response.putHeader("Retry-After", Long.toString(problem.retryAfterSeconds()));
        } else if (problem.status() == 503) {
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
        Object json = reply.json();
        if (json == null) {
            byte[] body = reply.body();
            if (isAsDocumented(operation, reply, reply.contentType().isEmpty() ? "" : "text")) {
                answer(ctx, operation, reply, call, body == null ? new byte[0] : body);
            } else {
                reply.drop();
                problem(ctx, notAsDocumented());
            }
        } else if (JsonWeight.isSmall(json, AnswerRoom.SMALL_BYTES)) {
            try {
                answer(ctx, operation, reply, call, encoded(operation, reply, json, call));
            } catch (ProblemException e) {
                problem(ctx, e.problem());
            }
        } else {
            Context loop = vertx.getOrCreateContext();
            String caller = caller(call);
            if (!encodings.tryTake(caller)) {
                counts.limited(ApiCounts.Bound.TOKEN);
                problem(ctx, tooManyEncoded());
                return;
            }
            encoders.supply(() -> encoded(operation, reply, json, call))
                    .whenComplete((body, failure) -> loop.runOnContext(now -> {
                        encodings.give(caller);
                        if (body == null) {
                            problem(ctx, FailureProblems.of(failure, operation));
                        } else {
                            answer(ctx, operation, reply, call, body);
                        }
                    }));
        }
    }

    private static Problem tooManyEncoded() {
        return Problem.tooMany(
                CallerParts.MOST_ENCODED + " large answers of this token or its tenant are being formatted",
                Duration.ofSeconds(1));
    }

    /** Empty for an unknown caller. */
    private static String caller(Call call) {
        return call.caller().map(Principal::share).orElse("");
    }

    /**
     * Encodes on any thread. Throws a {@link ProblemException} when the answer is too large, or differs from the
     * document.
     */
    private byte[] encoded(Operation operation, Reply reply, Object json, Call call) {
        if (JsonWeight.bytes(json, MOST_BYTES) > MOST_BYTES) {
            throw new ProblemException(Problem.unavailable("the answer would have more than " + (MOST_BYTES >> 20)
                    + " MiB; ask for less, such as by a smaller limit"));
        }
        if (!isAsDocumented(operation, reply, json)) {
            throw new ProblemException(notAsDocumented());
        }
        return Json.encodeToBuffer(chosen(json, call)).getBytes();
    }

    private boolean isAsDocumented(Operation operation, Reply reply, Object body) {
        List<FieldError> errors = checks ? operation.answerErrors(reply.status(), reply.mediaType(), body) : List.of();
        if (!errors.isEmpty()) {
            LOG.error("answer does not match openapi.yaml operation={} errors={}", operation.id(), errors);
        }
        return errors.isEmpty();
    }

    private static Problem notAsDocumented() {
        return new Problem(500, "fault", "A fault of the broker", "the answer is not as documented");
    }

    /** @param bytes the body, unless it is a stream or events */
    private void answer(RoutingContext ctx, Operation operation, Reply reply, Call call, byte[] bytes) {
        HttpServerResponse response = ctx.response();
        if (response.ended() || response.closed()) {
            reply.drop();
            return;
        }
        response.setStatusCode(reply.status()).putHeader("Content-Security-Policy", reply.policy());
        if (reply.tag() != null) {
            response.putHeader("ETag", EntityTags.quoted(reply.tag()));
        }
        if (reply.contentType().isEmpty()) {
            response.end();
            return;
        }
        response.putHeader("Content-Type", reply.contentType());
        BodyStream stream = reply.stream();
        if (stream != null) {
            send(ctx, stream, call);
            return;
        }
        StreamReply events = reply.events();
        if (events != null) {
            stream(ctx, operation, events, call);
            return;
        }
        boolean isOwn = reply.json() != null; // files and scrapes are shared by all readers
        String caller = caller(call);
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            response.putHeader("Content-Length", Integer.toString(bytes.length));
            response.end();
        } else if (isOwn && !room.tryTake(caller, bytes.length)) {
            problem(ctx, Problem.unavailable("too many large answers are under way; read them, or ask for less"));
        } else {
            BodyWriter.send(response, bytes).onComplete(sent -> {
                if (isOwn) {
                    room.give(caller, bytes.length);
                }
                SearchTurns.Turn turn = ctx.get(SearchTurns.Turn.class.getName());
                if (turn != null) {
                    turn.end(); // end handlers do not run if the connection closed meanwhile
                }
            });
        }
    }

    private void send(RoutingContext ctx, BodyStream stream, Call call) {
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            stream.close();
            ctx.response().end();
        } else {
            StreamWriter.send(
                    vertx,
                    ctx.request(),
                    stream,
                    connections,
                    limits.idleTimeout(),
                    bodies,
                    () -> call.caller()
                            .map(caller -> authenticator.isStill(caller, ctx.request()))
                            .orElse(true));
        }
    }

    private void stream(RoutingContext ctx, Operation operation, StreamReply reply, Call call) {
        HttpServerRequest request = ctx.request();
        HttpServerResponse response = ctx.response();
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
            return;
        }
        Principal caller = call.caller().orElseThrow(); // every streaming operation needs a role
        try {
            streams.requireRoom(caller.share());
            response.putHeader("X-Accel-Buffering", "no"); // else nginx buffers events up to some kilobytes
            streams.begin(
                    new StreamCaller(
                            caller.share(),
                            () -> authenticator.isStill(caller, request),
                            () -> connections.expire(request.connection())),
                    response,
                    reply,
                    item -> !checks || isAsDocumented(operation, item));
            connections.streams(request.connection(), reply.longest());
        } catch (ProblemException | NotServingException e) {
            problem(ctx, FailureProblems.of(e, operation));
        }
    }

    private static boolean isAsDocumented(Operation operation, WatchFeed.Item item) {
        List<FieldError> errors = operation.eventErrors(item.name(), new JsonObject(item.data()));
        if (!errors.isEmpty()) {
            LOG.error("event does not match openapi.yaml operation={} errors={}", operation.id(), errors);
        }
        return errors.isEmpty();
    }

    /** Keeps only the fields that the call selects. Does not change {@code json}, which other calls may share. */
    private static Object chosen(Object json, Call call) {
        if (!(json instanceof JsonObject object)
                || !(call.parameters().getValue("fields") instanceof JsonArray fields)) {
            return json;
        }
        Set<String> wanted = fields.stream().map(String.class::cast).collect(Collectors.toSet());
        JsonObject chosen = new JsonObject(new LinkedHashMap<>(object.getMap()));
        if (object.getValue("items") instanceof JsonArray items) {
            JsonArray few = new JsonArray();
            items.forEach(item -> few.add(chosen((JsonObject) item, wanted)));
            chosen.put("items", few);
        }
        if (object.getValue("item") instanceof JsonObject item) {
            chosen.put("item", chosen(item, wanted));
        }
        return chosen;
    }

    private static JsonObject chosen(JsonObject item, Set<String> wanted) {
        JsonObject few = new JsonObject(new LinkedHashMap<>(item.getMap()));
        few.getMap().keySet().retainAll(wanted);
        return few;
    }
}
