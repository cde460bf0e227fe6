package io.godwit.dist.peer.choice;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.deliver.ChosenElsewhere;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.dist.member.Members;
import io.godwit.dist.peer.choice.OpenQuestions.Round;
import io.godwit.dist.peer.filter.FilterKey;
import io.godwit.dist.peer.filter.RemoteMember;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.wait.MemberWaits;
import io.godwit.dist.wire.Choice;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.dist.wire.NodeMembers;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.StoredMember;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks all members which members of shared groups they have chosen for a repeated message, and answers such questions.
 * A member that does not answer is excluded: then its choices do not count, because its live sessions are over, and its
 * stored ones know the token. Thread-safe: publishers ask, threads of the links bring answers.
 *
 * <p>Messages for the choices of an excluded member may still arrive at others, which refuse them once they know of the
 * exclusion ({@code LiveArrivals}). So an answer counts only when its sender knows the view of the asking node, and
 * when that view is still the newest when all have answered; else all are asked again.
 *
 * <p>Bounds, whatever the others do: {@link ChoiceWaits} bounds how long a message waits, over all rounds; after that
 * its publisher is refused, and repeats it. {@link OpenQuestions} bounds the questions and answers of this node,
 * {@link QuestionsAhead} the questions of others. Answers that nobody waits for any longer are ignored.
 */
public final class ChoiceQuestions {
    /** An answer with more bytes is split into several frames. One choice has at most two strings of 64 KiB. */
    private static final int MAX_ANSWER_BYTES = 64 * 1024;

    private final Links links;
    private final Members members;
    private final MemberWaits waits;
    private final SharedChoices choices;
    private final ChoiceWaits times;
    private final OpenQuestions open = new OpenQuestions();
    private final QuestionsAhead ahead;

    /** @param reports counts the messages that wait too long */
    public ChoiceQuestions(ClusterParts parts, MemberWaits waits, SharedChoices choices, WaitReports reports) {
        this.links = parts.links();
        this.members = parts.members();
        this.waits = waits;
        this.choices = choices;
        this.times =
                new ChoiceWaits(parts.timers(), parts.nanoTime(), parts.waits().sharedChoice(), reports);
        this.ahead = new QuestionsAhead(parts.timers(), members::revision, this::answer);
    }

    public void joined(Peer peer) {
        ahead.joined(peer);
    }

    /** No more answers come from the peer, and it waits for none. */
    public void over(Peer peer) {
        open.over(peer);
        ahead.over(peer);
    }

    /** See {@link io.godwit.dist.deliver.OtherNodes#chosen}. */
    public CompletableFuture<List<ChosenElsewhere>> ask(TenantId tenant, DeliveryToken token) {
        Asking asking = new Asking(tenant, token);
        times.begin(asking.outcome, asking::missing);
        asking.beginRound();
        return asking.outcome;
    }

    /** The questions about one message, in all rounds. Any thread; a round begins when the one before has ended. */
    private final class Asking {
        private final TenantId tenant;
        private final DeliveryToken token;
        private final CompletableFuture<List<ChosenElsewhere>> outcome = new CompletableFuture<>();
        /** The members of the current round. */
        private volatile MemberWaits.Pending asked = MemberWaits.Pending.NONE;

        Asking(TenantId tenant, DeliveryToken token) {
            this.tenant = tenant;
            this.token = token;
        }

        void beginRound() {
            if (outcome.isDone()) {
                return;
            }
            long revision = members.revision();
            Round round = new Round(tenant, () -> outcome.completeExceptionally(tooMuch()));
            MemberWaits.Pending all = waits.begin("what it has chosen for a shared group", (peer, confirmed) -> {
                open.ask(round, peer, question(token, revision), confirmed);
                return true;
            });
            asked = all;
            all.done().whenComplete((done, failure) -> {
                List<ChosenElsewhere> chosen = open.end(round);
                if (failure != null) {
                    outcome.completeExceptionally(failure);
                } else if (members.revision() == revision) {
                    outcome.complete(chosen);
                } else {
                    beginRound();
                }
            });
            outcome.whenComplete((chosen, failure) -> {
                if (failure != null) {
                    all.done().completeExceptionally(failure); // ends the waits for members
                }
            });
        }

        String missing() {
            return "what was chosen for a shared group, by " + asked.missing().get();
        }
    }

    private static RangeException tooMuch() {
        return new RangeException(
                RangeException.Cause.OVERLOADED,
                "answers of other nodes take more than " + OpenQuestions.MOST_KEPT_BYTES + " bytes");
    }

    private static ChoiceQuestion.Builder question(DeliveryToken token, long revision) {
        return ChoiceQuestion.newBuilder()
                .setOrigin(token.origin())
                .setTokenNumber(token.number())
                .setViewRevision(revision);
    }

    /** Number of waiting messages, counted once for each member that owes an answer. */
    public int waiting() {
        return open.size();
    }

    /** Fails with {@link IllegalArgumentException} when the peer was not asked, or the answer is too long. */
    public void answered(Peer from, ChoiceAnswer answer) {
        open.answered(from, answer, this::decode);
    }

    private List<ChosenElsewhere> decode(TenantId tenant, ChoiceAnswer answer) {
        List<ChosenElsewhere> chosen = new ArrayList<>(answer.getChoicesCount());
        for (Choice choice : answer.getChoicesList()) {
            ChosenElsewhere decoded = decode(tenant, choice);
            if (decoded != null) {
                chosen.add(decoded);
            }
        }
        return chosen;
    }

    /** Null when it names the members on a node that is not linked here, which cannot be chosen. */
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
                        : new ChosenElsewhere(filter, new RemoteMember(peer, new FilterKey(tenant, filter), 1, false));
            }
            case WHO_NOT_SET -> new ChosenElsewhere(filter, null);
        };
    }

    /** Fails with {@link IllegalArgumentException} when the peer asks too much without waiting for answers. */
    public void asked(Peer from, ChoiceQuestion question) {
        ahead.add(from, question);
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
