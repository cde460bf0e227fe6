package io.godwit.api.gateway;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.auth.Principal;
import io.godwit.api.contract.InvalidRequestException;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.http.gate.Callers;
import io.godwit.api.http.gate.Connections;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.route.Call;
import io.godwit.api.route.Handler;
import io.godwit.api.route.Reply;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes each request through all checks to its handler, and the answer back. The order is: rates, pages of other sites,
 * caller, role and tenant, parameters, body, the caller again. A failed check is answered with a problem, and nothing
 * is done. Confined to the event loop.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** How long an answer waits for the audit record of its change. */
    private static final long RECORD_MILLIS = 1_000;

    private static final Pattern BAD_ENCODING = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private final Vertx vertx;
    private final HttpLimits limits;
    private final Connections connections;
    private final Authenticator authenticator;
    private final CallerRates rates;
    private final ChangeRecords audit;
    private final Bodies bodyReader;
    private final Answers answers;
    private final SearchTurns turns = new SearchTurns();

    public Gateway(
            Vertx vertx,
            HttpLimits limits,
            Connections connections,
            Authenticator authenticator,
            CallerRates rates,
            ChangeRecords audit,
            Bodies bodyReader,
            Answers answers) {
        this.vertx = vertx;
        this.limits = limits;
        this.connections = connections;
        this.authenticator = authenticator;
        this.rates = rates;
        this.audit = audit;
        this.bodyReader = bodyReader;
        this.answers = answers;
    }

    /** The first handler of each request. */
    public void begin(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        SecurityHeaders.add(request);
        Connections.State state = connections.requestBegan(request.connection());
        ctx.put(Connections.State.class.getName(), state);
        ctx.addEndHandler(ended -> {
            connections.requestEnded(request.connection());
            answers.count(ctx);
        });
        String source = Callers.source(request);
        ApiCounts.Bound over = rates.exceeded(request, source, authenticator.isOwn(request, state));
        if (over == null) {
            checkPath(ctx);
        } else if (!CallerRates.isOfHealth(request) && authenticator.mayBeOwn(request, state)) {
            findOwn(ctx, state, over);
        } else {
            refuse(ctx, state, over);
        }
    }

    /**
     * Another user of this machine may have used up what this address has. So the first request on a connection waits
     * until it is known to whom the connection belongs.
     */
    private void findOwn(RoutingContext ctx, Connections.State state, ApiCounts.Bound over) {
        HttpServerRequest request = ctx.request();
        if (Bodies.isAnnounced(request)) {
            request.pause();
        }
        Bounded<Principal> identified = new Bounded<>(
                authenticator.identify(request, state),
                limits.identifyTimeout(),
                Problem.unavailable("who asks could not be found out in time"));
        back(ctx, identified.future, (principal, failure) -> {
            identified.end();
            if (principal == null) {
                refuse(ctx, state, over);
            } else if (!rates.tryTakeOfAll()) {
                refuse(ctx, state, ApiCounts.Bound.ALL);
            } else {
                checkPath(ctx);
            }
        });
    }

    private void refuse(RoutingContext ctx, Connections.State state, ApiCounts.Bound over) {
        endIfOfAnotherUser(ctx, state);
        answers.limited(
                ctx,
                over,
                Problem.tooMany(
                        over == ApiCounts.Bound.ADDRESS
                                ? "this address asks too often"
                                : "all callers together ask too often"));
    }

    /** Its requests are all refused, so it gets no place to send further ones. */
    private void endIfOfAnotherUser(RoutingContext ctx, Connections.State state) {
        if (authenticator.isOfAnotherUser(state)) {
            ctx.response().putHeader("Connection", "close");
            ctx.addEndHandler(ended -> ctx.request().connection().close());
        }
    }

    private void checkPath(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        if (BAD_ENCODING.matcher(request.uri()).find()) {
            answers.problem(
                    ctx,
                    new Problem(
                            400, "invalid-request", "The request is not valid", "a % is not followed by two digits"));
        } else if (!RawPath.isPlain(request.path())) {
            answers.problem(
                    ctx,
                    new Problem(
                            400,
                            "invalid-request",
                            "The request is not valid",
                            "the path has an empty, . or .. part, or letters and digits that are percent-encoded"));
        } else {
            ctx.next();
        }
    }

    /** Answers a request that reaches no operation. */
    void refuse(RoutingContext ctx, Problem problem) {
        answers.problem(ctx, problem);
    }

    /** Answers a request that never reached {@link #begin} because it is not valid HTTP. */
    void refuse(HttpServerRequest request, Problem problem) {
        answers.unparsed(request, problem);
    }

    /** Handles a request for an operation. */
    public void take(RoutingContext ctx, Operation operation, Handler handler) {
        HttpServerRequest request = ctx.request();
        ctx.put(Operation.class.getName(), operation.id());
        if (operation.role().isEmpty()) {
            proceed(ctx, operation, handler, authenticator.ifKnown(request));
            return;
        }
        if (Callers.isOfAnotherSite(request)) {
            answers.problem(ctx, Problem.forbidden("pages of other origins may not use this API"));
            return;
        }
        if (operation.changes() && request.headers().contains("Cookie") && !Callers.isOfOwnPage(request)) {
            answers.problem(
                    ctx, Problem.forbidden("a request that changes something must not have cookies; send a token"));
            return;
        }
        Connections.State state = ctx.get(Connections.State.class.getName());
        if (Bodies.isAnnounced(request)) {
            request.pause(); // until the sender is known
        }
        Bounded<Principal> identified = new Bounded<>(
                authenticator.identify(request, state),
                limits.identifyTimeout(),
                Problem.unavailable("the caller could not be identified in time"));
        back(ctx, identified.future, (principal, failure) -> {
            identified.end();
            if (principal == null) {
                endIfOfAnotherUser(ctx, state);
                answers.problem(ctx, FailureProblems.of(failure, operation));
            } else if (!rates.tryTakeOfToken(principal.share())) {
                answers.limited(
                        ctx, ApiCounts.Bound.TOKEN, Problem.tooMany("this token, or its tenant, asks too often"));
            } else {
                connections.known(request, principal.share());
                authorize(ctx, operation, handler, principal);
            }
        });
    }

    private void authorize(RoutingContext ctx, Operation operation, Handler handler, Principal principal) {
        if (!principal.role().covers(operation.role().orElseThrow())) {
            refuse(
                    ctx,
                    operation,
                    principal,
                    "this needs the role " + operation.role().orElseThrow().spelled());
        } else if (principal.tenant().isPresent() && !operation.isOfTenant()) {
            refuse(ctx, operation, principal, "a token that is bound to a tenant may not use this");
        } else if (operation.isSearch()) {
            search(ctx, operation, handler, principal);
        } else {
            proceed(ctx, operation, handler, Optional.of(principal));
        }
    }

    /** Waits for the caller's turn; all tokens of a tenant share one. */
    private void search(RoutingContext ctx, Operation operation, Handler handler, Principal principal) {
        Context loop = vertx.getOrCreateContext();
        SearchTurns.Turn turn = turns.of(
                principal.share(),
                () -> loop.runOnContext(now -> {
                    try {
                        proceed(ctx, operation, handler, Optional.of(principal));
                    } catch (RuntimeException e) { // outermost frame on the loop
                        LOG.error("request failed path={}", ctx.request().path(), e);
                        answers.problem(ctx, FailureProblems.fault());
                    }
                }));
        ctx.put(SearchTurns.Turn.class.getName(), turn);
        ctx.addEndHandler(ended -> turn.end());
        if (ctx.response().closed()) { // an end handler that is added now is not called
            turn.end();
        } else if (!turn.begin()) {
            answers.limited(
                    ctx,
                    ApiCounts.Bound.TOKEN,
                    Problem.tooMany(SearchTurns.MOST + " searches of this token or its tenant are under way, and "
                            + SearchTurns.MOST_WAITING + " wait"));
        }
    }

    private void refuse(RoutingContext ctx, Operation operation, Principal principal, String why) {
        Problem problem = Problem.forbidden(why);
        if (operation.isAudited()) {
            audit.refused(
                    problem.status(),
                    principal,
                    Callers.address(ctx.request()),
                    operation,
                    new JsonObject().put("path", ctx.request().path()));
        }
        answers.problem(ctx, problem);
    }

    private void proceed(RoutingContext ctx, Operation operation, Handler handler, Optional<Principal> caller) {
        HttpServerRequest request = ctx.request();
        JsonObject parameters;
        try {
            parameters = operation.parameters(ctx.queryParams().entries(), ctx.pathParams());
        } catch (InvalidRequestException e) {
            answers.problem(ctx, Problem.invalid(e.errors()));
            return;
        }
        back(ctx, bodyReader.read(request, operation), (body, failure) -> {
            if (body == null) {
                answers.problem(ctx, FailureProblems.of(failure, operation));
                return;
            }
            String accept = request.getHeader("Accept");
            // gives the ports less than the whole time, which leaves time for a partial answer
            Duration within = limits.requestTimeout().multipliedBy(4).dividedBy(5);
            // checks Host because a page can rebind its own name to this machine's address
            boolean isOfThisMachine = Callers.isThisMachine(request) && Callers.isForLoopbackName(request);
            HostAndPort authority = request.authority();
            Call call = new Call(
                    caller,
                    isOfThisMachine,
                    parameters,
                    body,
                    accept == null ? "" : accept,
                    request.headers().contains("If-Match")
                            ? Optional.of(String.join(",", request.headers().getAll("If-Match")))
                            : Optional.empty(),
                    authority == null ? "" : authority.host(),
                    within);
            run(ctx, operation, handler, call);
        });
    }

    private void run(RoutingContext ctx, Operation operation, Handler handler, Call call) {
        if (operation.role().isPresent() && !isStillAllowed(ctx.request(), call)) {
            answers.problem(ctx, Problem.unauthorized("nothing was done: the token was removed or changed meanwhile"));
            return;
        }
        SearchTurns.Turn turn = ctx.get(SearchTurns.Turn.class.getName());
        if (turn != null && !turn.hold()) {
            return; // the caller left before it began
        }
        AuditLog.Entry entry = null;
        if (operation.isAudited() && call.caller().isPresent()) {
            Principal caller = call.caller().get();
            if (audit.isFull(caller)) {
                release(turn);
                answers.limited(
                        ctx,
                        ApiCounts.Bound.TOKEN,
                        Problem.tooMany("nothing was done: this token, or its tenant, has filled its part of the "
                                + "record of changes for this hour"));
                return;
            }
            entry = audit.begin(caller, Callers.address(ctx.request()), operation, call.parameters(), call.body());
            if (entry == null) {
                release(turn);
                answers.problem(
                        ctx,
                        Problem.unavailable("nothing was done: the record of changes cannot be written now, or the "
                                + "node stops"));
                return;
            }
        }
        run(ctx, operation, handler, call, entry, turn);
    }

    private static void release(SearchTurns.@Nullable Turn turn) {
        if (turn != null) {
            turn.release();
        }
    }

    /** The token may be removed while the request waits for its body or its turn. */
    private boolean isStillAllowed(HttpServerRequest request, Call call) {
        return call.caller()
                .map(caller -> authenticator.isStill(caller, request))
                .orElse(false);
    }

    /**
     * @param entry null when the call is not audited
     * @param turn held; null when the call is no search
     */
    private void run(
            RoutingContext ctx,
            Operation operation,
            Handler handler,
            Call call,
            AuditLog.@Nullable Entry entry,
            SearchTurns.@Nullable Turn turn) {
        CompletableFuture<Reply> reply = begin(handler, call);
        Bounded<Reply> bounded = new Bounded<>(
                reply,
                limits.requestTimeout(),
                new Problem(504, "timeout", "No answer in time", "the request was started and may still take effect"));
        back(ctx, bounded.future, (done, failure) -> {
            bounded.end();
            release(turn);
            Problem problem = done == null ? FailureProblems.of(failure, operation) : null;
            if (done == null) {
                reply.thenAccept(Reply::drop); // drops a late reply
            }
            if (entry == null) {
                finish(ctx, operation, call, done, problem);
                return;
            }
            int status = problem != null ? problem.status() : done == null ? 500 : done.status();
            // a caller may rely on the record, but a hanging disk delays the answer only for a moment
            CompletableFuture<Void> kept =
                    entry.ended(status).completeOnTimeout(null, RECORD_MILLIS, TimeUnit.MILLISECONDS);
            back(ctx, kept, (none, never) -> finish(ctx, operation, call, done, problem));
        });
    }

    private void finish(
            RoutingContext ctx, Operation operation, Call call, @Nullable Reply done, @Nullable Problem problem) {
        if (done == null) {
            answers.problem(ctx, problem == null ? FailureProblems.fault() : problem);
        } else {
            answers.reply(ctx, operation, done, call);
        }
    }

    private static CompletableFuture<Reply> begin(Handler handler, Call call) {
        try {
            return handler.answer(call);
        } catch (RuntimeException e) { // outermost frame of a request
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The result of a future, or a problem when it takes too long. */
    private final class Bounded<T> {
        /** A copy: other requests may share the original, such as a scrape, and it must go on for them. */
        private final CompletableFuture<T> future;

        private final long timer;

        Bounded(CompletableFuture<T> asked, Duration within, Problem late) {
            CompletableFuture<T> copy = asked.copy();
            future = copy;
            timer = vertx.setTimer(
                    Math.max(1, within.toMillis()), id -> copy.completeExceptionally(new ProblemException(late)));
        }

        void end() {
            vertx.cancelTimer(timer);
        }
    }

    private interface Then<T> {
        void go(@Nullable T value, @Nullable Throwable failure);
    }

    /** Continues on the event loop, whichever thread completes the future. An exception there is answered too. */
    private <T> void back(RoutingContext ctx, CompletableFuture<T> future, Then<T> then) {
        Context loop = vertx.getOrCreateContext();
        future.whenComplete((value, failure) -> loop.runOnContext(now -> {
            try {
                then.go(value, failure);
            } catch (RuntimeException e) { // outermost frame on the loop
                LOG.error("request failed path={}", ctx.request().path(), e);
                answers.problem(ctx, FailureProblems.fault());
            }
        }));
    }
}
