package io.godwit.api.stream;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.WatchFeed;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The answers that go on, so many at a time. Confined to the event loop. */
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

    /** @throws ProblemException when the node or the caller has as many as it may */
    public void requireRoom(String caller) {
        if (isClosed) {
            throw new ProblemException(Problem.unavailable("the node stops"));
        }
        if (open.size() >= bounds.most()) {
            throw new ProblemException(
                    Problem.unavailable("this node has " + bounds.most() + " streams already; end one"));
        }
        long own = open.stream().filter(each -> each.caller().equals(caller)).count();
        if (own >= bounds.mostPerCaller()) {
            throw new ProblemException(Problem.tooMany(
                    "this token, or its tenant, has " + bounds.mostPerCaller() + " streams already; end one"));
        }
    }

    /**
     * Answers with what {@code reply} brings, until its time is over, the caller may not see it any more, the client
     * goes, or {@link #close}. The head of the answer is set already.
     *
     * @param cut ends the connection, whether its client reads or not
     * @param mayGoOn asked now and then
     * @param check whether an item, by its name and data, is as the document says
     */
    public void begin(
            String caller,
            HttpServerResponse response,
            StreamReply reply,
            Runnable cut,
            BooleanSupplier mayGoOn,
            StreamReply.ItemCheck check) {
        WatchFeed feed = reply.source().open();
        EventStream[] made = new EventStream[1];
        EventStream stream = new EventStream(
                caller,
                response,
                feed,
                mayGoOn,
                check,
                reply.longest(),
                bounds,
                nanoClock,
                vertx.getOrCreateContext(),
                cut,
                () -> open.remove(made[0]));
        made[0] = stream;
        open.add(stream);
        stream.begin();
    }

    /** To be called some times a second. */
    public void tick() {
        open.forEach(EventStream::tick);
    }

    /** How many there are. */
    public int size() {
        return open.size();
    }

    /** Ends all, and begins no more. */
    public void close() {
        isClosed = true;
        List.copyOf(open).forEach(stream -> stream.end("stopping"));
    }
}
