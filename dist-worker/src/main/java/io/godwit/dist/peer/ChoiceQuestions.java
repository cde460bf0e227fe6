package io.godwit.dist.peer;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.deliver.ChosenElsewhere;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.member.Members;
import io.godwit.dist.route.SharedMember;
import io.godwit.dist.wire.Choice;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.dist.wire.NodeMembers;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.StoredMember;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks all members whom they have chosen for a message that is repeated, and answers when they ask. A member that does
 * not answer is excluded: then its choices do not count, since its live sessions are over, and its stored ones know the
 * token. Thread-safe: publishers ask, threads of the links bring answers. What waits is bounded by what publishers may
 * have unacknowledged: a question is forgotten when its publish waits no longer, and an answer that comes then is not
 * used.
 *
 * <p>What an excluded member has chosen may still arrive at others, and is refused there once they know of the
 * exclusion ({@link LiveArrivals}). So an answer counts only when who gives it knows the view of who asks, and when
 * that view is still the newest when all have answered: else all are asked again.
 */
final class ChoiceQuestions {
    /** An answer with more goes in several frames. One choice has at most two strings of 64 KiB. */
    private static final int MAX_ANSWER_BYTES = 64 * 1024;

    /** Until a question is looked at again that was asked by a view not known here yet. */
    static final Duration LOOK = Duration.ofMillis(10);

    private static final class Asked {
        private final Peer peer;
        private final TenantId tenant;
        private final Consumer<List<ChosenElsewhere>> answered;
        private final List<ChosenElsewhere> chosen = new ArrayList<>(1);

        private Asked(Peer peer, TenantId tenant, Consumer<List<ChosenElsewhere>> answered) {
            this.peer = peer;
            this.tenant = tenant;
            this.answered = answered;
        }
    }

    /** By a newer view of the members than this node knows. */
    private record Ahead(Peer from, ChoiceQuestion question) {}

    private final Links links;
    private final Members members;
    private final PeerTimers timers;
    private final MemberWaits waits;
    private final SharedChoices choices;
    /** Guarded by this, with what is in it. */
    private final Map<Long, Asked> asked = new HashMap<>();

    /** In the order of arrival; looked at by a timer while there are any. Guarded by this. */
    private final List<Ahead> ahead = new ArrayList<>(0);

    private boolean isLooking;

    private long nextNumber;

    ChoiceQuestions(ClusterParts parts, MemberWaits waits, SharedChoices choices) {
        this.links = parts.links();
        this.members = parts.members();
        this.timers = parts.timers();
        this.waits = waits;
        this.choices = choices;
    }

    /** See {@link io.godwit.dist.deliver.OtherNodes#chosen}. */
    CompletableFuture<List<ChosenElsewhere>> ask(TenantId tenant, DeliveryToken token) {
        long revision = members.revision();
        return ask(tenant, token, revision)
                .thenCompose(chosen -> members.revision() == revision
                        ? CompletableFuture.completedFuture(chosen)
                        : ask(tenant, token));
    }

    private CompletableFuture<List<ChosenElsewhere>> ask(TenantId tenant, DeliveryToken token, long revision) {
        List<ChosenElsewhere> all = new ArrayList<>();
        Set<Long> questions = ConcurrentHashMap.newKeySet(4);
        return waits.all(
                        "what it has chosen for a shared group",
                        (peer, confirmed) -> ask(peer, tenant, token, revision, questions, some -> {
                            synchronized (all) {
                                all.addAll(some);
                            }
                            confirmed.run();
                        }))
                .whenComplete((done, failure) -> forget(questions))
                .thenApply(done -> {
                    synchronized (all) {
                        return List.copyOf(all);
                    }
                });
    }

    private synchronized void forget(Set<Long> questions) {
        asked.keySet().removeAll(questions);
    }

    private boolean ask(
            Peer peer,
            TenantId tenant,
            DeliveryToken token,
            long revision,
            Set<Long> questions,
            Consumer<List<ChosenElsewhere>> answered) {
        long number;
        synchronized (this) {
            number = nextNumber++;
            asked.put(number, new Asked(peer, tenant, answered));
        }
        questions.add(number);
        ChoiceQuestion question = ChoiceQuestion.newBuilder()
                .setNumber(number)
                .setOrigin(token.origin())
                .setTokenNumber(token.number())
                .setViewRevision(revision)
                .build();
        peer.send(
                Lane.CONTROL,
                ControlFrames.encode(
                        PeerFrame.newBuilder().setChoiceQuestion(question).build()),
                new Peer.Confirmation() {
                    @Override
                    public void confirmed() {
                        // the answer follows
                    }

                    @Override
                    public void lost() {
                        if (isOpen(number)) { // else a look at all for each of them
                            over(peer);
                        }
                    }
                });
        return true;
    }

    /** No answer of the peer comes any more: who waits asks the next one, or excludes it. */
    synchronized void over(Peer peer) {
        asked.values().removeIf(waiting -> waiting.peer.equals(peer));
        ahead.removeIf(waiting -> waiting.from.equals(peer));
    }

    private synchronized boolean isOpen(long number) {
        return asked.containsKey(number);
    }

    /** Questions that wait for an answer. */
    synchronized int waiting() {
        return asked.size();
    }

    /** Fails with {@link IllegalArgumentException} when it answers nothing that the peer was asked. */
    void answered(Peer from, ChoiceAnswer answer) {
        Asked known;
        synchronized (this) {
            known = asked.get(answer.getNumber());
            if (known == null && answer.getNumber() >= 0 && answer.getNumber() < nextNumber) {
                return; // its publish waits no longer
            }
            if (known == null || !known.peer.equals(from)) {
                throw new IllegalArgumentException("an answer to no question, number " + answer.getNumber());
            }
            for (Choice choice : answer.getChoicesList()) {
                ChosenElsewhere chosen = decode(known.tenant, choice);
                if (chosen != null) {
                    known.chosen.add(chosen);
                }
            }
            if (answer.getMore()) {
                return;
            }
            asked.remove(answer.getNumber());
        }
        known.answered.accept(known.chosen);
    }

    /** Null when it names the members on a node that is not linked here: it cannot be chosen. */
    private @Nullable ChosenElsewhere decode(TenantId tenant, Choice choice) {
        TopicFilter filter = TopicFilter.parse(choice.getFilter())
                .filter(TopicFilter::isShared)
                .orElseThrow(() -> new IllegalArgumentException("no filter of a shared group"));
        return switch (choice.getWhoCase()) {
            case STORED -> {
                StoredMember stored = choice.getStored();
                yield new ChosenElsewhere(
                        filter, new InboxReceiver(tenant, new ClientId(stored.getClientId()), stored.getIncarnation()));
            }
            case NODE -> {
                NodeMembers members = choice.getNode();
                Peer peer = links.peer(members.getNodeId());
                yield peer == null || peer.incarnation() != members.getIncarnation()
                        ? null
                        : new ChosenElsewhere(filter, new RemoteMember(peer, new FilterKey(tenant, filter), 1));
            }
            case WHO_NOT_SET -> new ChosenElsewhere(filter, null);
        };
    }

    void asked(Peer from, ChoiceQuestion question) {
        if (question.getViewRevision() <= members.revision()) {
            answer(from, question);
            return;
        }
        synchronized (this) {
            ahead.add(new Ahead(from, question));
            lookLater();
        }
    }

    private void lookLater() {
        if (!isLooking && !ahead.isEmpty()) {
            isLooking = true;
            timers.after(LOOK, this::answerKnown);
        }
    }

    /** Those by a view that is known here by now. */
    private void answerKnown() {
        long revision = members.revision();
        List<Ahead> known;
        synchronized (this) {
            known = ahead.stream()
                    .filter(waiting -> waiting.question.getViewRevision() <= revision)
                    .toList();
            ahead.removeAll(known);
            isLooking = false;
            lookLater();
        }
        known.forEach(waiting -> answer(waiting.from, waiting.question));
    }

    private void answer(Peer from, ChoiceQuestion question) {
        ChoiceAnswer.Builder answer = ChoiceAnswer.newBuilder().setNumber(question.getNumber());
        int bytes = 0;
        for (Map.Entry<TopicFilter, SharedMember> chosen :
                choices.of(question.getOrigin(), question.getTokenNumber()).entrySet()) {
            Choice choice = encode(chosen.getKey(), chosen.getValue());
            if (bytes > 0 && bytes + choice.getSerializedSize() > MAX_ANSWER_BYTES) {
                send(from, answer.setMore(true));
                answer = ChoiceAnswer.newBuilder().setNumber(question.getNumber());
                bytes = 0;
            }
            answer.addChoices(choice);
            bytes += choice.getSerializedSize();
        }
        send(from, answer);
    }

    private static void send(Peer to, ChoiceAnswer.Builder answer) {
        to.send(
                Lane.CONTROL,
                ControlFrames.encode(
                        PeerFrame.newBuilder().setChoiceAnswer(answer).build()));
    }

    private static Choice encode(TopicFilter filter, SharedMember member) {
        Choice.Builder choice = Choice.newBuilder().setFilter(filter.text());
        Receiver receiver = member.match().receiver();
        if (receiver instanceof InboxReceiver stored) {
            choice.setStored(StoredMember.newBuilder()
                    .setClientId(stored.clientId().value())
                    .setIncarnation(stored.incarnation()));
        } else if (receiver instanceof RemoteMember members) {
            choice.setNode(NodeMembers.newBuilder()
                    .setNodeId(members.peer().nodeId())
                    .setIncarnation(members.peer().incarnation()));
        }
        return choice.build();
    }
}
