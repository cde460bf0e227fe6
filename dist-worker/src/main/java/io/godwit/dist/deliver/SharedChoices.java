package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The member of a shared group that was given the message of a delivery token: even if members come and go, a repeat
 * goes to the same one, which recognises it. When an earlier process may have chosen, the stored members are asked
 * ({@link io.godwit.dist.client.Deliverer#know}), and the other nodes ({@link OtherNodes#chosen}).
 *
 * <p>A token is remembered until a while after its origin has recorded that the message is distributed
 * ({@link RecentTokens}). A token whose session ends before that is never finished: beyond {@link #MAX_TOKENS}, or
 * fewer if ids are long, the oldest is forgotten. One object per node; event loops and range executors contend for the
 * lock; messages without a token do not use it, and those with one have waited for a commit.
 */
public final class SharedChoices {
    static final int MAX_TOKENS = 100_000;

    /** @param member null when another node asked and there was none */
    private record Choice(TopicFilter filter, @Nullable SharedMember member) {}

    /** The result of a claim for a message that another node has sent to a group. */
    public enum Claim {
        /** The message must be given to the member. */
        MADE,
        /** A session in the memory of this node was given it before. */
        GIVEN,
        /** The other node's choice does not count: no member gets the message. */
        VOID
    }

    private final TokenMemory<List<Choice>> chosen = new TokenMemory<>();
    private final RecentTokens<List<Choice>> finished;

    public SharedChoices(LongSupplier nanoTime) {
        this.finished = new RecentTokens<>(nanoTime);
    }

    /** The member that was given the message for {@code group}; null when none was. */
    synchronized @Nullable SharedMember get(DeliveryToken token, SharedGroup group) {
        for (Choice choice : choices(token)) {
            if (choice.filter.equals(group.filter())) {
                return choice.member;
            }
        }
        return null;
    }

    synchronized void put(DeliveryToken token, SharedGroup group, SharedMember member) {
        put(token, new Choice(group.filter(), member));
    }

    /**
     * As {@link #put}, unless the choice would not count. If another node resumes the message, it asks for choices made
     * here after {@code resend} is abandoned: either it learns of this choice, or this choice is not made.
     */
    synchronized void choose(DeliveryToken token, SharedGroup group, SharedMember member, Resend resend) {
        if (!resend.isAbandoned()) {
            put(token, group, member);
        }
    }

    private void put(DeliveryToken token, Choice made) {
        List<Choice> choices = known(token.origin(), token.number());
        if (choices == null) {
            choices = new ArrayList<>(1);
            chosen.put(token.origin(), token.number(), choices);
        }
        choices.removeIf(choice -> choice.filter.equals(made.filter));
        choices.add(made);
        while (chosen.isOver(MAX_TOKENS)) {
            chosen.forgetOldest();
        }
    }

    /** The members that were given the message, by the filter of the group. */
    public synchronized Map<TopicFilter, SharedMember> of(String origin, long number) {
        Map<TopicFilter, SharedMember> members = new TreeMap<>();
        for (Choice choice : choices(origin, number)) {
            if (choice.member != null) {
                members.put(choice.filter, choice.member);
            }
        }
        return members;
    }

    /**
     * Takes over the choices of other nodes, unless this one has chosen too.
     *
     * @return the {@code groups} for which no live session elsewhere has the message
     */
    List<SharedGroup> learn(DeliveryToken token, List<SharedGroup> groups, List<ChosenElsewhere> elsewhere) {
        if (elsewhere.isEmpty()) {
            return groups;
        }
        Map<TopicFilter, List<ChosenElsewhere>> byFilter = new TreeMap<>();
        elsewhere.forEach(choice -> byFilter.computeIfAbsent(choice.filter(), filter -> new ArrayList<>(1))
                .add(choice));
        List<SharedGroup> open = new ArrayList<>(groups.size());
        for (SharedGroup group : groups) {
            if (learn(token, group, byFilter.getOrDefault(group.filter(), List.of()))) {
                open.add(group);
            }
        }
        return open;
    }

    /** Whether it must still be given to a member. */
    private boolean learn(DeliveryToken token, SharedGroup group, List<ChosenElsewhere> elsewhere) {
        for (ChosenElsewhere choice : elsewhere) {
            Receiver receiver = choice.receiver();
            if (receiver == null) {
                return false;
            }
            SharedMember member = group.memberOf(receiver);
            if (member != null) {
                putIfNone(token, group, member);
            }
        }
        return true;
    }

    private synchronized void putIfNone(DeliveryToken token, SharedGroup group, SharedMember member) {
        if (get(token, group) == null) {
            put(token, group, member);
        }
    }

    /** Whether a session in the memory of this node was given the message for the group of {@code filter}. */
    public synchronized boolean isGivenHere(DeliveryToken token, TopicFilter filter) {
        for (Choice choice : choices(token)) {
            if (choice.filter.equals(filter)) {
                return choice.member != null && choice.member.isHere();
            }
        }
        return false;
    }

    /**
     * Records the answer to another node that there is no member here. A repeat gets the same answer, even if a member
     * has come meanwhile: the other node may have chosen another member by then.
     */
    public synchronized void declined(DeliveryToken token, TopicFilter filter) {
        put(token, new Choice(filter, null));
    }

    /** Whether another node was told that there was no member here. */
    public synchronized boolean isDeclined(DeliveryToken token, TopicFilter filter) {
        return choices(token).stream().anyMatch(choice -> choice.member == null && choice.filter.equals(filter));
    }

    /**
     * Claims the message for {@code member}. As with {@link #choose}: a node that resumes the message and asks here
     * learns of this claim, or the claim comes after the answer, and finds the choice void by what this node knew when
     * it answered.
     *
     * @param isVoid whether the choice of the other node no longer counts
     */
    public synchronized Claim claim(
            DeliveryToken token, SharedGroup group, SharedMember member, BooleanSupplier isVoid) {
        if (isGivenHere(token, group.filter())) {
            return Claim.GIVEN;
        }
        if (isVoid.getAsBoolean()) {
            return Claim.VOID;
        }
        put(token, group, member);
        return Claim.MADE;
    }

    /** The chosen member did not take it. */
    synchronized void forget(DeliveryToken token, SharedGroup group) {
        List<Choice> late = finished.get(token.origin(), token.number());
        if (late != null) {
            late.removeIf(choice -> choice.filter.equals(group.filter()));
        }
        List<Choice> choices = chosen.get(token.origin(), token.number());
        if (choices != null) {
            choices.removeIf(choice -> choice.filter.equals(group.filter()));
            if (choices.isEmpty()) {
                chosen.remove(token.origin(), token.number());
            }
        }
    }

    /**
     * Chooses {@code next} instead of {@code declined}, unless a repeat that was also declined has chosen another one
     * meanwhile. Returns that other one, or null when it is {@code next}. See {@link #choose}.
     */
    synchronized @Nullable SharedMember putInstead(
            DeliveryToken token, SharedGroup group, Receiver declined, SharedMember next, Resend resend) {
        SharedMember now = get(token, group);
        if (now != null && !now.match().receiver().equals(declined)) {
            return now;
        }
        choose(token, group, next, resend);
        return null;
    }

    /**
     * Records that the message has passed from the chosen member to {@code member}, which may be on this node. So the
     * message is not taken for a late copy, even if its origin has finished the token. Does nothing when the token is
     * unknown.
     */
    synchronized void replace(DeliveryToken token, SharedGroup group, SharedMember member) {
        if (known(token.origin(), token.number()) != null) {
            put(token, group, member);
        }
    }

    /** Every receiver has the message: a later copy with this token is late. */
    public synchronized void finished(String origin, long number) {
        List<Choice> choices = chosen.remove(origin, number);
        if (choices != null) {
            choices.removeIf(choice -> choice.member == null); // a member that has come since may be given it
            finished.put(origin, number, choices);
        }
    }

    /** Number of remembered tokens that are not finished. */
    synchronized int size() {
        return chosen.size();
    }

    private List<Choice> choices(DeliveryToken token) {
        return choices(token.origin(), token.number());
    }

    private List<Choice> choices(String origin, long number) {
        List<Choice> known = known(origin, number);
        return known == null ? List.of() : known;
    }

    /**
     * The remembered choices of a token, modifiable. A late copy of a finished message may add choices to the old ones;
     * they are forgotten together.
     */
    private @Nullable List<Choice> known(String origin, long number) {
        List<Choice> open = chosen.get(origin, number);
        return open == null ? finished.get(origin, number) : open;
    }
}
