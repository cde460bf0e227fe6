package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.SessionCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An edge and the node of its leaders, with a link in memory between them: each frame is a task of the executor. The
 * link can be lost and made again.
 */
public final class LinkedNodes implements InboxCarrier {
    private final InboxCarrier local;
    private final Executor tasks;
    private final LongSupplier edgeMillis;
    private final LongSupplier leaderMillis;
    private final Limits limits;
    private Link link;
    /** Reasons for which an end has abandoned a link. */
    final List<String> abandoned = new ArrayList<>();
    /** Delayed tasks, to be run by the test. */
    final List<Runnable> timed = new ArrayList<>();
    /** Topics of QoS 0 messages dropped for lack of room. */
    final List<String> dropped = new ArrayList<>();

    /**
     * Limits of the link and the nodes.
     *
     * @param frameBytes most bytes of one frame
     * @param servedBytes of unanswered commands
     * @param heldBytes of deliveries that wait for room on the link
     */
    record Limits(int frameBytes, long servedBytes, long heldBytes) {
        static final Limits DEFAULT = new Limits(64 << 20, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /**
     * Two nodes whose clocks agree.
     *
     * @param tasks runs one at a time, in order
     */
    public LinkedNodes(InboxCarrier local, Executor tasks, LongSupplier wallMillis) {
        this(local, tasks, wallMillis, wallMillis, Limits.DEFAULT);
    }

    LinkedNodes(InboxCarrier local, Executor tasks, LongSupplier edgeMillis, LongSupplier leaderMillis, Limits limits) {
        this.local = local;
        this.tasks = tasks;
        this.edgeMillis = edgeMillis;
        this.leaderMillis = leaderMillis;
        this.limits = limits;
        this.link = new Link();
    }

    /** Loses all that is on its way; both ends are notified, and there is a new link. */
    public void reconnect() {
        link.lose();
        link = new Link();
    }

    @Override
    public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        link.edge.ask(command, deliveries, answer);
    }

    @Override
    public void insert(InsertRequest request, Answer answer) {
        link.edge.insert(request, answer);
    }

    Link link() {
        return link;
    }

    private static void assertNothingGetsLost(byte[] frame) {
        try {
            assertThat(Frames.decodedAndEncoded(frame)).isEqualTo(frame);
        } catch (Exception e) {
            throw new AssertionError("a frame that is not understood", e);
        }
    }

    /** Leaders whose commands wait for a leader, so that none is ever refused. */
    private record PlainHome(InboxCarrier leaders, List<String> dropped) implements InboxHome {
        @Override
        public void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer) {
            leaders.ask(command, deliveries, answer);
        }

        @Override
        public void insert(InsertRequest request, long[] rounds, Answer answer) {
            leaders.insert(request, answer);
        }

        @Override
        public void dropped(InboxId inbox, String topic) {
            dropped.add(topic);
        }

        @Override
        public boolean isWritable() {
            return true;
        }
    }

    /** One link, until it is lost. */
    final class Link {
        final RemoteCarrier edge;
        final EdgeService leaders;
        final End toLeaders = new End();
        final End toEdge = new End();
        private boolean isLost;

        Link() {
            edge = new RemoteCarrier(toLeaders, edgeMillis);
            leaders = new EdgeService(
                    new PlainHome(local, dropped),
                    new SendingNode(AgreedMembers.NONE, "edge", 1),
                    toEdge,
                    leaderMillis,
                    (millis, task) -> timed.add(task),
                    limits.servedBytes(),
                    limits.heldBytes());
            toLeaders.receiver = leaders::receive;
            toEdge.receiver = edge::receive;
            edge.start();
            leaders.start();
        }

        void lose() {
            if (!isLost) {
                isLost = true;
                tellLoss();
            }
        }

        private void tellLoss() {
            edge.lost();
            leaders.lost();
        }

        /** One direction. */
        final class End implements FrameLink {
            /** All that was sent. */
            final List<byte[]> frames = new ArrayList<>();

            boolean isWritable = true;
            private Consumer<byte[]> receiver = frame -> {};

            @Override
            public void send(byte[] frame) {
                assertThat(frame.length).isLessThanOrEqualTo(limits.frameBytes());
                assertNothingGetsLost(frame);
                sendAnything(frame);
            }

            @Override
            public int version() {
                return 1;
            }

            @Override
            public int maxFrameBytes() {
                return limits.frameBytes();
            }

            @Override
            public boolean isWritable() {
                return isWritable;
            }

            /** Sends any bytes, valid or not. */
            void sendAnything(byte[] frame) {
                frames.add(frame);
                tasks.execute(() -> {
                    if (!isLost) {
                        receiver.accept(frame);
                    }
                });
            }

            @Override
            public void abandon(String why) {
                abandoned.add(why);
                if (!isLost) {
                    isLost = true; // nothing more is received; both ends are notified later
                    tasks.execute(Link.this::tellLoss);
                }
            }
        }
    }
}
