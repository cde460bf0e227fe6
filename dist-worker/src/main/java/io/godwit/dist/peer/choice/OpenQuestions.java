package io.godwit.dist.peer.choice;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.deliver.ChosenElsewhere;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The questions of this node that other members have not answered, see {@link ChoiceQuestions}.
 *
 * <p>At most {@link #MOST_AHEAD} questions with {@link #MOST_AHEAD_BYTES} are sent to one peer and unanswered: all of
 * them may have to wait there ({@link QuestionsAhead}). The others wait here, in order, until one is answered. A
 * question that nobody waits for any longer is not sent; a sent one counts until it is answered or the peer is over,
 * because the peer may still have it.
 *
 * <p>An answer in parts is kept here until its end. An answer longer than any member can give
 * ({@link #MOST_ANSWER_BYTES}), or a part without a choice, violates the protocol. When all kept answers take too much
 * memory, the round of the latest one ends.
 *
 * <p>Thread-safe: publishers ask, links bring answers, timers end rounds. Nothing is called with the lock held.
 */
final class OpenQuestions {
    /** Both ends rely on it: a peer that sends more without answers violates the protocol. */
    static final int MOST_AHEAD = 4_096;
    /** Limit on the bytes of sent questions; a single larger one is allowed. A client id has up to 64 KiB. */
    static final int MOST_AHEAD_BYTES = 1 << 20;
    /** Limit on one answer in all its parts, with {@link #CHOICE_BYTES}: some ten thousand groups of one message. */
    static final int MOST_ANSWER_BYTES = 4 << 20;
    /** Limit on all kept answers, with {@link #CHOICE_BYTES}. */
    static final int MOST_KEPT_BYTES = 64 << 20;
    /** Approximate heap bytes of a choice without its texts. */
    static final int CHOICE_BYTES = 256;

    /** The questions to all members about one message. Guarded by the lock of the questions. */
    static final class Round {
        private final TenantId tenant;
        private final Runnable tooMuch;
        private final List<Question> questions = new ArrayList<>(4);
        private final List<ChosenElsewhere> chosen = new ArrayList<>(1);
        private long keptBytes;
        private boolean isOver;

        /** @param tooMuch runs when the answers take too much memory; any thread */
        Round(TenantId tenant, Runnable tooMuch) {
            this.tenant = tenant;
            this.tooMuch = tooMuch;
        }
    }

    /** A question to one peer. */
    static final class Question {
        private final Peer peer;
        private final ChoiceQuestion asking;
        private final int bytes;
        /** Null once nobody waits for the answer. Guarded by the lock of the questions, like the next fields. */
        private @Nullable Round round;

        private final Runnable answered;
        private int answerBytes;

        private Question(Peer peer, ChoiceQuestion asking, Round round, Runnable answered) {
            this.peer = peer;
            this.asking = asking;
            this.bytes = asking.getSerializedSize();
            this.round = round;
            this.answered = answered;
        }

        private long number() {
            return asking.getNumber();
        }
    }

    /** The questions to one peer. While one waits, at least one is sent and unanswered. */
    private static final class Window {
        /** Sent and unanswered questions, including those that nobody waits for any longer. */
        private final Map<Long, Question> ahead = new HashMap<>();

        private final Map<Long, Question> waiting = new LinkedHashMap<>();
        private long aheadBytes;

        boolean hasRoomFor(Question question) {
            return ahead.isEmpty() || ahead.size() < MOST_AHEAD && aheadBytes + question.bytes <= MOST_AHEAD_BYTES;
        }

        void take(Question question) {
            ahead.put(question.number(), question);
            aheadBytes += question.bytes;
        }

        /** Moves the waiting questions that have room now to {@code ahead}; the caller must send them. */
        List<Question> takeNext() {
            List<Question> next = new ArrayList<>(1);
            while (!waiting.isEmpty()) {
                Question first = waiting.values().iterator().next();
                if (!hasRoomFor(first)) {
                    break;
                }
                waiting.remove(first.number());
                take(first);
                next.add(first);
            }
            return next;
        }
    }

    /** Each entry has at least one unanswered question. Guarded by this, with its contents. */
    private final Map<Peer, Window> windows = new HashMap<>();

    private long nextNumber;
    private long keptBytes;
    /** Number of questions whose answers are awaited. */
    private int open;

    /**
     * Asks the peer, now or when it has answered others; does nothing when the round is over.
     *
     * @param answered runs once the answer is there, on a thread of the links; never when the peer or the round is over
     */
    void ask(Round round, Peer peer, ChoiceQuestion.Builder question, Runnable answered) {
        Question asked;
        synchronized (this) {
            if (round.isOver) {
                return;
            }
            asked = new Question(peer, question.setNumber(nextNumber++).build(), round, answered);
            round.questions.add(asked);
            open++;
            Window window = windows.computeIfAbsent(peer, fresh -> new Window());
            if (!window.waiting.isEmpty() || !window.hasRoomFor(asked)) {
                window.waiting.put(asked.number(), asked);
                return;
            }
            window.take(asked);
        }
        send(asked);
    }

    private void send(Question question) {
        PeerFrame frame =
                PeerFrame.newBuilder().setChoiceQuestion(question.asking).build();
        question.peer.send(Lane.CONTROL, ControlFrames.encode(frame), new Peer.Confirmation() {
            @Override
            public void confirmed() {
                // the answer follows
            }

            @Override
            public void lost() {
                if (isAhead(question)) { // else each lost question would scan all of them
                    over(question.peer);
                }
            }
        });
    }

    private synchronized boolean isAhead(Question question) {
        Window window = windows.get(question.peer);
        return window != null && question.equals(window.ahead.get(question.number()));
    }

    /** No more answers come from the peer: callers ask the next peer, or exclude the member. */
    synchronized void over(Peer peer) {
        Window window = windows.remove(peer);
        if (window != null) {
            window.ahead.values().forEach(this::close);
            window.waiting.values().forEach(this::close);
        }
    }

    /** Call it with the lock held. */
    private void close(Question question) {
        if (question.round != null) {
            question.round = null;
            open--;
        }
    }

    /** Ends a round, whose answers nobody waits for any longer. Returns the choices in the answers so far. */
    synchronized List<ChosenElsewhere> end(Round round) {
        round.isOver = true;
        keptBytes -= round.keptBytes;
        round.keptBytes = 0;
        for (Question question : round.questions) {
            Window window = windows.get(question.peer);
            if (question.round != null && window != null) {
                window.waiting.remove(question.number());
            }
            close(question);
        }
        round.questions.clear();
        return List.copyOf(round.chosen);
    }

    /** Number of questions whose answers are awaited. */
    synchronized int size() {
        return open;
    }

    /**
     * Takes a part of an answer, or all of it. Fails with {@link IllegalArgumentException} when the peer was not asked,
     * or the answer is too long.
     *
     * @param decoder decodes the choices for the tenant; may also fail with IllegalArgumentException
     */
    void answered(Peer from, ChoiceAnswer answer, Decoder decoder) {
        if (answer.getMore() && answer.getChoicesCount() == 0) {
            throw new IllegalArgumentException("a part of an answer without a choice");
        }
        Question question;
        @Nullable TenantId tenant;
        synchronized (this) {
            question = ahead(from, answer.getNumber());
            if (question == null) {
                return;
            }
            question.answerBytes += bytesOf(answer);
            if (question.answerBytes > MOST_ANSWER_BYTES) {
                throw new IllegalArgumentException("an answer of more than " + MOST_ANSWER_BYTES + " bytes");
            }
            tenant = question.round == null ? null : question.round.tenant;
        }
        List<ChosenElsewhere> chosen = tenant == null ? List.of() : decoder.decode(tenant, answer);
        take(question, answer, chosen);
    }

    /** A frame has at most a mebibyte, so the int does not overflow. */
    private static int bytesOf(ChoiceAnswer answer) {
        return answer.getSerializedSize() + CHOICE_BYTES * answer.getChoicesCount();
    }

    /** Reads the choices of an answer. */
    @FunctionalInterface
    interface Decoder {
        List<ChosenElsewhere> decode(TenantId tenant, ChoiceAnswer answer);
    }

    /** Call it with the lock held. Null when the peer is over. */
    private @Nullable Question ahead(Peer from, long number) {
        Window window = windows.get(from);
        Question question = window == null ? null : window.ahead.get(number);
        if (question == null && (window != null || number < 0 || number >= nextNumber)) {
            throw new IllegalArgumentException("an answer to no question, number " + number);
        }
        return question;
    }

    private void take(Question question, ChoiceAnswer answer, List<ChosenElsewhere> chosen) {
        List<Question> next = List.of();
        @Nullable Runnable told = null;
        synchronized (this) {
            Round round = question.round;
            if (round != null) {
                round.chosen.addAll(chosen);
                round.keptBytes += bytesOf(answer);
                keptBytes += bytesOf(answer);
                told = keptBytes > MOST_KEPT_BYTES ? round.tooMuch : null;
            }
            Window window = windows.get(question.peer);
            if (!answer.getMore() && window != null) {
                window.ahead.remove(question.number());
                window.aheadBytes -= question.bytes;
                next = window.takeNext();
                if (window.ahead.isEmpty()) {
                    windows.remove(question.peer);
                }
            }
            if (!answer.getMore() && round != null) {
                close(question);
                told = told == null ? question.answered : told;
            }
        }
        next.forEach(this::send);
        if (told != null) {
            told.run();
        }
    }
}
