package io.godwit.broker.sub;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.SessionDirectory.Answer;
import io.godwit.inbox.client.SessionDirectory.Holder;
import io.godwit.inbox.client.SessionDirectory.Lease;
import io.godwit.inbox.client.SessionDirectory.Takeover;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerBatch;
import io.godwit.plugin.sub.SubBrokerMessage;
import io.godwit.plugin.sub.SubBrokerSubscription;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscription of a SubBroker, on this node. Confined to the thread of {@link SubConsumers}.
 *
 * <p>In order: if this node should serve it ({@link #tick}), {@link #claim} asks the directory for the client id;
 * {@link #attach} opens the session; {@link #subscribe} commits the filters, writes their routes and removes obsolete
 * ones; {@link #run} requests messages. {@link #take} queues messages, {@link #hand} makes a batch of them, and {@link
 * #answered} acknowledges it to the inbox or delivers it again. An end ({@link #leave}, {@link #lost}) releases the
 * client id, and the next tick begins again, perhaps on another node.
 *
 * <p>Each claim begins an epoch; results of an earlier epoch have no effect. There is one exception: until the plugin
 * has answered a call of an earlier epoch, it gets no more messages of this subscription.
 */
final class SubConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(SubConsumer.class);

    /** A client id that no MQTT client can have. */
    private static final String PREFIX = "\0sub/";

    /** Retain handling: do not send retained messages. */
    private static final int NO_RETAINED = 2;

    private static final long CLAIM_PAUSE_MILLIS = 1_000;
    private static final long FIRST_RETRY_MILLIS = 100;
    private static final long LAST_RETRY_MILLIS = 30_000;
    /** How long the attachment is kept for the answer to a batch under way. */
    private static final long LEAVE_MILLIS = 2_000;
    /** Bound of QoS 0 messages that were delivered and not yet processed, since QoS 0 needs no credit. */
    private static final int MAX_TOLD_QOS0 = 10_000;

    /** The states between the claim and the end. */
    private enum State {
        IDLE,
        CLAIMING,
        ATTACHING,
        SUBSCRIBING,
        RUNNING,
        LEAVING
    }

    private final String plugin;
    private final SubBroker broker;
    private final SubBrokerSubscription subscription;
    private final ClientInfo client;
    private final SubParts parts;
    private final SubThread thread;
    private final SubQueue queue;
    private final AtomicInteger toldQos0 = new AtomicInteger();

    private State state = State.IDLE;
    private long epoch;
    private long notBeforeMillis;
    private boolean isClosed;

    // per epoch
    private @Nullable Lease lease;
    private @Nullable InboxAttachment attachment;
    private @Nullable Attempt attaching;
    private boolean isDetaching;
    private List<InboxMessage> batch = List.of();
    private int attempt;
    private long retryMillis = FIRST_RETRY_MILLIS;

    /** Whether the plugin has not answered a batch yet, possibly one of an earlier epoch. */
    private boolean isCalling;
    /** Messages of an earlier epoch that the plugin still has. Only QoS 0 can be lost of them. */
    private List<InboxMessage> orphans = List.of();

    /** Completes when {@link #close} is done. */
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    SubConsumer(String plugin, SubBroker broker, SubBrokerSubscription subscription, SubParts parts, SubThread thread) {
        this.plugin = plugin;
        this.broker = broker;
        this.subscription = subscription;
        this.parts = parts;
        this.thread = thread;
        this.queue = new SubQueue(parts.limits());
        this.client = new ClientInfo(
                subscription.tenant(),
                new ClientId(PREFIX + plugin + "/" + subscription.name()),
                null,
                "plugin:" + plugin,
                5);
    }

    /** One attach, which must not be sent to a leader any more once the client id was released. */
    private static final class Attempt implements Resend {
        /** Written by the thread; read by the thread that carries the request. */
        private volatile boolean isOver;

        @Override
        public boolean isAbandoned() {
            return isOver;
        }
    }

    /** Called periodically: checks whether this node should serve the subscription. */
    void tick() {
        boolean isOurs = !isClosed && parts.isOurs().test(client.clientId().value());
        if (isOurs && state == State.IDLE && thread.millis() >= notBeforeMillis) {
            claim();
        } else if (!isOurs && state != State.IDLE && state != State.LEAVING) {
            leave("another node serves it");
        }
    }

    /** Runs {@code what} with the result, if the epoch is still the same. */
    private <T> void then(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> what) {
        long mine = epoch;
        future.whenComplete((value, failure) -> thread.post(() -> {
            if (mine == epoch) {
                what.accept(value, failure);
            }
        }));
    }

    // ---- to the inbox

    private void claim() {
        state = State.CLAIMING;
        long mine = ++epoch;
        Holder holder = () -> thread.post(() -> {
            if (mine == epoch) {
                leave("another node has taken it");
            }
        });
        CompletableFuture<Answer> asked =
                parts.directory().acquire(client.tenant(), client.clientId(), holder, Takeover.OF_ANYBODY);
        then(asked, (answer, failure) -> {
            if (answer instanceof Lease granted) {
                lease = granted;
                if (state == State.LEAVING) {
                    release();
                } else {
                    attach();
                }
            } else {
                LOG.debug("no client id plugin={} subscription={}", plugin, subscription.name(), failure);
                release();
            }
        });
    }

    private void attach() {
        state = State.ATTACHING;
        Attempt asked = new Attempt();
        attaching = asked;
        AttachRequest request = new AttachRequest(client, false, AttachRequest.NEVER, null, 0, asked);
        then(parts.inbox().attach(request, new Listener(epoch)), (reply, failure) -> {
            if (failure != null) {
                lost("cannot be attached: " + failure.getMessage());
                return;
            }
            attachment = reply.attachment();
            if (state == State.LEAVING) {
                detach();
            } else {
                subscribe(reply);
            }
        });
    }

    private void subscribe(AttachReply reply) {
        state = State.SUBSCRIBING;
        List<StoredSubscription> stored = new ArrayList<>();
        Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
        for (String filter : subscription.filters()) {
            TopicFilter parsed = TopicFilter.parse(filter).orElseThrow();
            stored.add(new StoredSubscription(parsed, Qos.AT_LEAST_ONCE, false, true, NO_RETAINED, 0));
            routes.put(parsed, new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, true, 0));
        }
        List<TopicFilter> stale = reply.subscriptions().stream()
                .map(StoredSubscription::filter)
                .filter(filter -> !routes.containsKey(filter))
                .toList();
        InboxReceiver receiver = new InboxReceiver(client.tenant(), client.clientId(), reply.incarnation());
        InboxAttachment on = reply.attachment();
        CompletableFuture<?> done = on.subscribe(stored)
                .thenCompose(isNew -> parts.dist().addRoutes(routes, receiver, RouteNumber.of(reply.attachNumber(), 1)))
                .thenCompose(added -> stale.isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : parts.dist()
                                .removeRoutes(stale, receiver, RouteNumber.of(reply.attachNumber(), 2))
                                .thenCompose(removed -> on.unsubscribe(stale).thenApply(existed -> null)));
        then(done, (nothing, failure) -> {
            if (state == State.LEAVING) {
                detach();
            } else if (failure != null) {
                lost("cannot be subscribed: " + failure.getMessage());
            } else {
                run();
            }
        });
    }

    private void run() {
        state = State.RUNNING;
        LOG.info("subscription of a plugin served here plugin={} subscription={}", plugin, subscription.name());
        parts.reports().began(plugin, subscription.name());
        ask();
        hand();
    }

    private void ask() {
        int more = queue.ask();
        if (more > 0 && attachment != null) {
            attachment.request(more);
        }
    }

    // ---- to the plugin

    /** Called on a range executor. */
    private final class Listener implements InboxListener {
        private final long mine;

        private Listener(long mine) {
            this.mine = mine;
        }

        @Override
        public void deliver(List<InboxMessage> messages) {
            List<InboxMessage> taken = new ArrayList<>(messages.size());
            int qos0 = 0;
            for (InboxMessage each : messages) {
                if (each.qos() != Qos.AT_MOST_ONCE) {
                    taken.add(each);
                } else if (toldQos0.get() + qos0 < MAX_TOLD_QOS0) {
                    taken.add(each);
                    qos0++;
                } else {
                    dropped(each.message(), DropReason.SLOW_CONSUMER);
                }
            }
            int told = qos0;
            toldQos0.addAndGet(told);
            thread.post(() -> {
                toldQos0.addAndGet(-told);
                if (mine == epoch && state != State.LEAVING) {
                    take(taken);
                } else {
                    lostQos0(taken);
                }
            });
        }

        @Override
        public void detached(Reason reason) {
            thread.post(() -> {
                if (mine == epoch) {
                    attachment = null;
                    if (state != State.LEAVING) {
                        lost("its inbox ended the attachment: " + reason);
                    } else {
                        detach();
                    }
                }
            });
        }
    }

    private void dropped(Message message, DropReason reason) {
        parts.reports().dropped(client.tenant(), client.clientId(), message.topic(), reason);
    }

    /** Reports lost QoS 0 messages, which the inbox does not keep once delivered. QoS 1 and 2 are delivered again. */
    private void lostQos0(List<InboxMessage> messages) {
        for (InboxMessage each : messages) {
            if (each.qos() == Qos.AT_MOST_ONCE) {
                dropped(each.message(), DropReason.SESSION_ENDED);
            }
        }
    }

    private void take(List<InboxMessage> messages) {
        for (InboxMessage each : messages) {
            if (!queue.add(each)) {
                dropped(each.message(), DropReason.SLOW_CONSUMER);
            }
        }
        hand();
        ask();
    }

    /** Makes a batch, unless there is one already. */
    private void hand() {
        while (state == State.RUNNING && batch.isEmpty() && !isCalling) {
            List<InboxMessage> next = queue.next();
            if (next.isEmpty()) {
                return;
            }
            List<InboxMessage> fresh = new ArrayList<>(next.size());
            List<InboxMessage> expired = new ArrayList<>(0);
            long now = parts.nowMillis().getAsLong();
            for (InboxMessage each : next) {
                boolean isOver = each.message().properties().messageExpirySeconds() >= 0
                        && each.message().isExpired(now);
                (isOver ? expired : fresh).add(each);
            }
            expired.forEach(each -> dropped(each.message(), DropReason.EXPIRED));
            acknowledge(expired);
            batch = fresh;
            attempt = 1;
            retryMillis = FIRST_RETRY_MILLIS;
            if (!fresh.isEmpty()) {
                call();
            }
        }
    }

    private void call() {
        isCalling = true;
        List<SubBrokerMessage> messages = batch.stream()
                .map(each -> new SubBrokerMessage(each.message(), each.redelivered() || attempt > 1))
                .toList();
        long mine = epoch;
        broker.deliver(new SubBrokerBatch(subscription, messages, attempt))
                .whenComplete((done, failure) -> thread.post(() -> answered(mine, failure)));
    }

    private void answered(long of, @Nullable Throwable failure) {
        isCalling = false;
        if (of != epoch) {
            if (failure != null) {
                lostQos0(orphans);
            }
            orphans = List.of();
            hand(); // the current epoch has waited for this answer
            return;
        }
        if (failure == null) {
            List<InboxMessage> done = batch;
            batch = List.of();
            parts.reports().delivered(done.size());
            acknowledge(done);
        } else {
            parts.reports().delayed(plugin, subscription.name(), String.valueOf(failure.getMessage()));
        }
        if (state == State.LEAVING) {
            detach();
        } else if (failure == null) {
            hand();
            ask();
        } else {
            attempt = attempt == Integer.MAX_VALUE ? attempt : attempt + 1;
            thread.after(retryMillis, () -> {
                if (of == epoch && state == State.RUNNING && !isCalling) {
                    call();
                }
            });
            retryMillis = Math.min(2 * retryMillis, LAST_RETRY_MILLIS);
        }
    }

    private void acknowledge(List<InboxMessage> done) {
        queue.release(done);
        long[] sequences = done.stream()
                .filter(each -> each.qos() != Qos.AT_MOST_ONCE)
                .mapToLong(InboxMessage::sequence)
                .toArray();
        if (sequences.length > 0 && attachment != null) {
            attachment.acknowledge(sequences);
        }
    }

    // ---- the end

    private void leave(String cause) {
        if (state == State.IDLE || state == State.LEAVING) {
            return;
        }
        State was = state;
        state = State.LEAVING;
        if (was == State.RUNNING) {
            told(cause);
            if (isCalling && !batch.isEmpty()) {
                long mine = epoch;
                thread.after(LEAVE_MILLIS, () -> {
                    if (mine == epoch) {
                        detach();
                    }
                });
            } else {
                detach();
            }
        } // otherwise the pending step sees the state
    }

    private void told(String cause) {
        LOG.info(
                "subscription of a plugin not served here any more plugin={} subscription={} cause={}",
                plugin,
                subscription.name(),
                cause);
        parts.reports().ended(plugin, subscription.name(), cause);
    }

    private void detach() {
        if (isDetaching) {
            return;
        }
        InboxAttachment on = attachment;
        if (on == null) {
            release();
            return;
        }
        isDetaching = true;
        attachment = null;
        then(on.detach(-1, false), (done, failure) -> release());
    }

    /** The attachment is gone, or useless. */
    private void lost(String cause) {
        boolean wasRunning = state == State.RUNNING;
        state = State.LEAVING;
        if (wasRunning) {
            told(cause);
        } else {
            LOG.debug("not served plugin={} subscription={} cause={}", plugin, subscription.name(), cause);
        }
        detach();
    }

    private void release() {
        Lease held = lease;
        lease = null;
        epoch++;
        isDetaching = false;
        attachment = null;
        if (attaching != null) {
            attaching.isOver = true;
            attaching = null;
        }
        if (isCalling && orphans.isEmpty()) {
            orphans = batch;
        } else {
            lostQos0(batch);
        }
        batch = List.of();
        lostQos0(queue.clear());
        state = State.IDLE;
        notBeforeMillis = thread.millis() + CLAIM_PAUSE_MILLIS;
        if (held != null) {
            held.release();
        }
        if (isClosed) {
            closed.complete(null);
        }
    }

    /** Completes when the client id is released. */
    CompletableFuture<Void> close() {
        isClosed = true;
        if (state == State.IDLE) {
            closed.complete(null);
        } else {
            leave("the node stops");
        }
        return closed;
    }
}
