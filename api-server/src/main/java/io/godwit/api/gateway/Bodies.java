package io.godwit.api.gateway;

import io.godwit.api.contract.InvalidRequestException;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.http.gate.HttpLimits;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request, up to its size limit, and checks it. Confined to the event loop, except that a worker
 * checks large bodies so that other requests need not wait.
 */
public final class Bodies {
    private static final JsonObject NONE = new JsonObject();
    /** A body of this size is checked in a few milliseconds, even if it is full of errors. */
    private static final int SMALL_BYTES = 4_096;

    private final Vertx vertx;
    private final HttpLimits limits;
    private final Workers workers;

    /** @param workers check large bodies */
    public Bodies(Vertx vertx, HttpLimits limits, Workers workers) {
        this.vertx = vertx;
        this.limits = limits;
        this.workers = workers;
    }

    /** Whether the head announces a body. */
    static boolean isAnnounced(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return request.headers().contains("Transfer-Encoding") || length != null && !length.equals("0");
    }

    /** Fails with a {@link ProblemException} when an unexpected body comes, or the body is wrong, too long or late. */
    CompletableFuture<JsonObject> read(HttpServerRequest request, Operation operation) {
        if (!operation.hasBody()) {
            return isAnnounced(request)
                    ? failed(Problem.invalid("", "there must be no body"))
                    : CompletableFuture.completedFuture(NONE);
        }
        if (!isJson(request.getHeader("Content-Type"))) {
            return failed(
                    new Problem(415, "unsupported-media-type", "The body has another type", "send application/json"));
        }
        if (isTooLong(request.getHeader("Content-Length"))) {
            return failed(Problem.tooLarge(limits.maxBodyBytes()));
        }
        CompletableFuture<Buffer> bytes =
                isAnnounced(request) ? collect(request) : CompletableFuture.completedFuture(Buffer.buffer());
        return bytes.thenCompose(body -> body.length() <= SMALL_BYTES
                ? CompletableFuture.completedFuture(parse(body, operation))
                : workers.supply(() -> parse(body, operation)));
    }

    private static CompletableFuture<JsonObject> failed(Problem problem) {
        return CompletableFuture.failedFuture(new ProblemException(problem));
    }

    private static boolean isJson(@Nullable String contentType) {
        String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
        return type.equals("application/json") || type.startsWith("application/json;");
    }

    private boolean isTooLong(@Nullable String length) {
        try {
            return length != null && Long.parseLong(length) > limits.maxBodyBytes();
        } catch (NumberFormatException e) {
            return true;
        }
    }

    private CompletableFuture<Buffer> collect(HttpServerRequest request) {
        CompletableFuture<Buffer> whole = new CompletableFuture<>();
        Buffer bytes = Buffer.buffer();
        long timer = vertx.setTimer(
                limits.headTimeout().toMillis(),
                late -> whole.completeExceptionally(new ProblemException(
                        new Problem(408, "body-late", "The body did not come in time", "send it faster"))));
        whole.whenComplete((done, failure) -> vertx.cancelTimer(timer));
        request.handler(piece -> {
            if (bytes.length() + piece.length() > limits.maxBodyBytes()) {
                whole.completeExceptionally(new ProblemException(Problem.tooLarge(limits.maxBodyBytes())));
            } else if (!whole.isDone()) {
                bytes.appendBuffer(piece);
            }
        });
        request.endHandler(end -> whole.complete(bytes));
        request.exceptionHandler(whole::completeExceptionally);
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            request.response().writeContinue();
        }
        request.resume();
        return whole;
    }

    private static JsonObject parse(Buffer bytes, Operation operation) {
        JsonObject body;
        try {
            body = new JsonObject(bytes);
            operation.checkBody(body);
        } catch (DecodeException | ClassCastException e) {
            throw new ProblemException(Problem.invalid("", "the body is not a JSON object"));
        } catch (InvalidRequestException e) {
            throw new ProblemException(Problem.invalid(e.errors()));
        }
        return body;
    }
}
