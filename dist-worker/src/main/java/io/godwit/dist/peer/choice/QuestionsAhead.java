package io.godwit.dist.peer.choice;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.wire.ChoiceQuestion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Questions of other members that refer to a newer view than this node knows, see {@link ChoiceQuestions}. They wait
 * until the view is known here, or their peer is over: an earlier answer would be wrong, and the asking node has a
 * time-out. A peer may have as many waiting questions as {@link OpenQuestions} allows; more violate the protocol.
 *
 * <p>Thread-safe: links bring questions, a timer checks them while there are any. Nothing is called with the lock held.
 */
final class QuestionsAhead {
    static final Duration LOOK = Duration.ofMillis(10);

    /** The questions of one peer, in order of arrival. */
    private static final class Waiting {
        private final List<ChoiceQuestion> questions = new ArrayList<>(0);
        private long bytes;
    }

    private record Known(Peer from, ChoiceQuestion question) {}

    private final PeerTimers timers;
    private final LongSupplier revision;
    private final BiConsumer<Peer, ChoiceQuestion> answering;
    /** All joined peers. Guarded by this, with its contents. */
    private final Map<Peer, Waiting> peers = new HashMap<>();

    private int size;
    private boolean isLooking;
    /** Whether a question has come since the last look. */
    private boolean hasNew;

    private long lookedAt;

    /**
     * @param revision of the newest view that this node knows; never falls
     * @param answering gets each question once its view is known; any thread
     */
    QuestionsAhead(PeerTimers timers, LongSupplier revision, BiConsumer<Peer, ChoiceQuestion> answering) {
        this.timers = timers;
        this.revision = revision;
        this.answering = answering;
    }

    synchronized void joined(Peer peer) {
        peers.put(peer, new Waiting());
    }

    /** Forgets the questions of the peer. */
    synchronized void over(Peer peer) {
        Waiting gone = peers.remove(peer);
        size -= gone == null ? 0 : gone.questions.size();
    }

    /** Fails with {@link IllegalArgumentException} when the peer asks too much without waiting for answers. */
    void add(Peer from, ChoiceQuestion question) {
        if (question.getViewRevision() <= revision.getAsLong()) {
            answering.accept(from, question);
        } else {
            await(from, question);
        }
    }

    private synchronized void await(Peer from, ChoiceQuestion question) {
        Waiting waiting = peers.get(from);
        if (waiting == null) {
            return; // it is over
        }
        int bytes = question.getSerializedSize();
        boolean hasRoom = waiting.questions.isEmpty()
                || waiting.questions.size() < OpenQuestions.MOST_AHEAD
                        && waiting.bytes + bytes <= OpenQuestions.MOST_AHEAD_BYTES;
        if (!hasRoom) {
            throw new IllegalArgumentException("more than " + OpenQuestions.MOST_AHEAD + " questions, or "
                    + OpenQuestions.MOST_AHEAD_BYTES + " bytes of them, wait for an answer");
        }
        waiting.questions.add(question);
        waiting.bytes += bytes;
        size++;
        hasNew = true;
        lookLater();
    }

    /** Call it with the lock held. */
    private void lookLater() {
        if (!isLooking && size > 0) {
            isLooking = true;
            timers.after(LOOK, this::look);
        }
    }

    private void look() {
        long now = revision.getAsLong();
        List<Known> known = new ArrayList<>(0);
        synchronized (this) {
            if (hasNew || now != lookedAt) {
                hasNew = false;
                lookedAt = now;
                peers.forEach((peer, waiting) -> takeKnown(peer, waiting, now, known));
            }
            isLooking = false;
            lookLater();
        }
        known.forEach(each -> answering.accept(each.from, each.question));
    }

    /** Call it with the lock held. */
    private void takeKnown(Peer peer, Waiting waiting, long now, List<Known> known) {
        List<ChoiceQuestion> left = new ArrayList<>(0);
        for (ChoiceQuestion question : waiting.questions) {
            if (question.getViewRevision() <= now) {
                known.add(new Known(peer, question));
                waiting.bytes -= question.getSerializedSize();
                size--;
            } else {
                left.add(question);
            }
        }
        waiting.questions.clear();
        waiting.questions.addAll(left);
    }

    /** Number of waiting questions. */
    synchronized int size() {
        return size;
    }
}
