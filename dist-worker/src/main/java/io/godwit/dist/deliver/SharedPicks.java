package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.Strays;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stored members that the shared groups of one publish have chosen, and which of these had ended or had no room.
 * Written by the publishing thread, then by the thread that completes the delivery, then read after the completion; so
 * without a lock.
 */
final class SharedPicks implements Strays {
    /**
     * Each round removes a member from the group, or from the choice for a while; so only a group whose members come
     * and go at this pace, or that has so many full ones, reaches this limit. The last choice is final.
     */
    static final int MAX_ROUNDS = 16;

    /**
     * The message for which members are chosen.
     *
     * @param asked strategy of the message's listener; null for none
     * @param choices earlier choices for the token
     * @param resend with a token: no member is chosen when it is abandoned
     */
    record Choosing(
            ClientId publisher,
            String topic,
            @Nullable SharedPick asked,
            @Nullable DeliveryToken token,
            SharedChoices choices,
            Resend resend) {

        /**
         * Null when no member is left or may be chosen, or when a session of this node has the message by an earlier
         * distribution.
         */
        private @Nullable SharedMember of(SharedGroup group) {
            if (token == null) {
                return pick(group);
            }
            SharedMember before = choices.get(token, group);
            if (before != null && before.isHere()) {
                return null;
            }
            if (before != null && (before.isMember() || before.isElsewhere())) {
                return before; // the other node knows whether it has given the message to a member that has left
            }
            SharedMember member = pick(group);
            if (member != null) {
                choices.choose(token, group, member, resend);
            }
            return member;
        }

        /** Messages of a node about itself are only for its own clients. */
        @Nullable
        SharedMember pick(SharedGroup group) {
            SharedMember member = group.pick(publisher, topic, asked);
            return member != null && member.isElsewhere() && topic.startsWith("$SYS/")
                    ? group.pickHere(publisher, topic, asked)
                    : member;
        }
    }

    private final Choosing choosing;
    private final int round;
    private final List<Pick> picks = new ArrayList<>(2);
    private final List<SharedGroup> unserved = new ArrayList<>(0);
    private final Set<InboxReceiver> strays = new LinkedHashSet<>(0);

    /** @param match of the member, at the time of the choice */
    private record Pick(SharedGroup group, SharedMember member, Match match, boolean mayRefuse) {}

    private SharedPicks(Choosing choosing, int round) {
        this.choosing = choosing;
        this.round = round;
    }

    /**
     * Adds one member of each group to {@code live} or {@code inbox}; a session with a plain subscription too gets both
     * copies (MQTT 5.0, 4.8.2).
     *
     * @return null when no stored session was chosen
     */
    static @Nullable SharedPicks first(
            List<SharedGroup> groups, Choosing choosing, List<Match> live, List<Match> inbox) {
        return pick(1, groups, choosing, live, inbox);
    }

    /** The same for the groups whose chosen member got nothing. */
    @Nullable
    SharedPicks again(List<Match> live, List<Match> inbox) {
        return pick(round + 1, unserved, choosing, live, inbox);
    }

    /** The same for one group whose member is given. */
    static @Nullable SharedPicks only(
            SharedGroup group, SharedMember member, Choosing choosing, List<Match> live, List<Match> inbox) {
        return add(null, 1, group, member, choosing, live, inbox);
    }

    private static @Nullable SharedPicks pick(
            int round, List<SharedGroup> groups, Choosing choosing, List<Match> live, List<Match> inbox) {
        SharedPicks picks = null;
        for (int i = 0; i < groups.size(); i++) {
            SharedGroup group = groups.get(i);
            SharedMember member = choosing.of(group);
            if (member != null) {
                picks = add(picks, round, group, member, choosing, live, inbox);
            }
        }
        return picks;
    }

    private static @Nullable SharedPicks add(
            @Nullable SharedPicks others,
            int round,
            SharedGroup group,
            SharedMember member,
            Choosing choosing,
            List<Match> live,
            List<Match> inbox) {
        Match match = member.match();
        if (match.receiver() instanceof LiveReceiver) {
            live.add(match);
            return others;
        }
        inbox.add(match);
        SharedPicks picks = others == null ? new SharedPicks(choosing, round) : others;
        boolean mayRefuse = round < MAX_ROUNDS && group.mayTryAnother() && !member.isRefusing();
        picks.picks.add(new Pick(group, member, match, mayRefuse));
        return picks;
    }

    @Override
    public void found(String topic, Match match) {
        if (match.receiver() instanceof InboxReceiver receiver) {
            strays.add(receiver);
        }
        Pick pick = pickOf(match);
        if (pick != null) {
            unserved.add(pick.group);
        }
    }

    @Override
    public boolean mayRefuse(Match match) {
        Pick pick = pickOf(match);
        return pick != null && pick.mayRefuse;
    }

    @Override
    public void refused(Match match) {
        Pick pick = pickOf(match);
        if (pick != null) {
            pick.group.refused(pick.member);
            if (choosing.token != null) {
                choosing.choices.forget(choosing.token, pick.group);
            }
            unserved.add(pick.group);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the match of a plain subscription of the same session is another object
    private @Nullable Pick pickOf(Match match) {
        for (int i = 0; i < picks.size(); i++) {
            if (picks.get(i).match == match) {
                return picks.get(i);
            }
        }
        return null;
    }

    boolean hasStrays() {
        return !strays.isEmpty();
    }

    Set<InboxReceiver> strays() {
        return strays;
    }

    /** Whether the message was not given to a member of some group yet. */
    boolean hasUnserved() {
        return !unserved.isEmpty();
    }

    boolean isLastRound() {
        return round == MAX_ROUNDS;
    }
}
