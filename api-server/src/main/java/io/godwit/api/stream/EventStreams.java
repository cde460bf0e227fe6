package io.godwit.api.stream;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.LongSupplier;

/** The event streams of this node, limited in number. Confined to the event loop. */
public final class EventStreams {
    private final Vertx vertx;
    private final StreamBounds bounds;
    private final LongSupplier nanoClock;
    private final Set<EventStream> open = new CopyOnWriteArraySet<>();
    private boolean isClosed;

    public EventStreams(Vertx vertx, StreamBounds bounds, LongSupplier nanoClock) {
        this.vertx = vertx;
        this.bounds = bounds;
        this.nanoClock = nanoClock;
    }

    /** @throws ProblemException when the node or the caller is at its limit */
    public void requireRoom(String share) {
        if (isClosed) {
            throw new ProblemException(Problem.unavailable("the node stops"));
        }
        if (open.size() >= bounds.most()) {
            throw new ProblemException(
                    Problem.unavailable("this node has " + bounds.most() + " streams already; end one"));
        }
        long own = open.stream().filter(each -> each.share().equals(share)).count();
        if (own >= bounds.mostPerCaller()) {
            throw new ProblemException(Problem.tooMany(
                    "this token, or its tenant, has " + bounds.mostPerCaller() + " streams already; end one"));
        }
    }

    /**
     * Starts a stream. It ends when its time is over, the caller's rights are gone, the client leaves, or on
     * {@link #close}. The head of the answer is already set.
     *
     * @param check whether an item, by its name and data, is as the document says
     */
    public void begin(
            StreamCaller caller, HttpServerResponse response, StreamReply reply, StreamReply.ItemCheck check) {
        EventStream[] made = new EventStream[1];
        EventStream stream = new EventStream(
                caller,
                response,
                reply,
                check,
                bounds,
                nanoClock,
                vertx.getOrCreateContext(),
                () -> open.remove(made[0]));
        made[0] = stream;
        open.add(stream);
        stream.begin();
    }

    /** Call several times a second. */
    public void tick() {
        open.forEach(EventStream::tick);
    }

    /** Number of open streams. */
    public int size() {
        return open.size();
    }

    /** Ends all streams, and starts no more. */
    public void close() {
        isClosed = true;
        List.copyOf(open).forEach(stream -> stream.end("stopping"));
    }
}
