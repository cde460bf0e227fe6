package io.godwit.dist.deliver;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Strays;
import io.godwit.dist.route.SharedGroup;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The persistent members that the shared groups of one publish have chosen, and which of their sessions turned out to have ended. Written
 * by the publishing thread, then by the one that completes the delivery, then read by what follows the completion; so without a lock.
 */
final class SharedPicks implements Strays {
    /** Each round removes a member at least, so only a group whose members come and go at this pace gets there. */
    static final int MAX_ROUNDS = 16;

    private final int round;
    /** Which group chose the member at the same place. */
    private final List<SharedGroup> groups = new ArrayList<>(2);

    private final List<Match> members = new ArrayList<>(2);
    private final List<SharedGroup> unserved = new ArrayList<>(0);
    private final Set<InboxReceiver> strays = new LinkedHashSet<>(0);

    private SharedPicks(int round) {
        this.round = round;
    }

    /**
     * Adds one member of each group to {@code live} or {@code inbox}; sessions that have a plain subscription too get both copies (MQTT 5.0, 4.8.2).
     *
     * @return null when no persistent session was chosen
     */
    static @Nullable SharedPicks first(
            List<SharedGroup> groups, @Nullable DeliveryToken token, List<Match> live, List<Match> inbox) {
        return pick(1, groups, token, live, inbox);
    }

    /** The same for the groups whose chosen member got nothing. */
    @Nullable
    SharedPicks again(@Nullable DeliveryToken token, List<Match> live, List<Match> inbox) {
        return pick(round + 1, unserved, token, live, inbox);
    }

    private static @Nullable SharedPicks pick(
            int round, List<SharedGroup> groups, @Nullable DeliveryToken token, List<Match> live, List<Match> inbox) {
        SharedPicks picks = null;
        for (int i = 0; i < groups.size(); i++) {
            SharedGroup group = groups.get(i);
            Match member = token == null ? group.pick() : group.pick(token);
            if (member == null) {
                continue;
            }
            if (member.receiver() instanceof LiveReceiver) {
                live.add(member);
                continue;
            }
            inbox.add(member);
            picks = picks == null ? new SharedPicks(round) : picks;
            picks.groups.add(group);
            picks.members.add(member);
        }
        return picks;
    }

    @Override
    public void found(Delivery delivery, Match match) {
        if (match.receiver() instanceof InboxReceiver receiver) {
            strays.add(receiver);
        }
        for (int i = 0; i < members.size(); i++) {
            // the match of a plain subscription of the same session is another object
            if (isSame(members.get(i), match)) {
                unserved.add(groups.get(i));
            }
        }
    }

    boolean hasStrays() {
        return !strays.isEmpty();
    }

    Set<InboxReceiver> strays() {
        return strays;
    }

    /** Whether a group has been given to nobody yet. */
    boolean hasUnserved() {
        return !unserved.isEmpty();
    }

    boolean isLastRound() {
        return round == MAX_ROUNDS;
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Match a, Match b) {
        return a == b;
    }
}
