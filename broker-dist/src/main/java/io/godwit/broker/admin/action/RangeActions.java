package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.Messages.ActionKind;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Changes of one range, for the command and the API. Refuses senseless changes before it asks a node. Calls block. */
public final class RangeActions {
    private final AdminClient client;
    private final String store;

    public RangeActions(AdminClient client, String store) {
        this.client = client;
        this.store = store;
    }

    /** @param key in hexadecimal or in the form of {@link Text#key}; null to halve the bytes */
    public Messages.Result split(Messages.Range range, @Nullable String key) throws AdminException {
        String at = key == null ? null : hex(key);
        if (at != null) {
            checkInside(range, at);
        }
        return carryOut(action(ActionKind.SPLIT, range, at, ""));
    }

    private static String hex(String key) throws AdminException {
        try {
            return Text.hex(key);
        } catch (IllegalArgumentException e) {
            throw new AdminException(
                    Kind.USAGE,
                    "the key must be in hexadecimal, or as \"ranges\" shows it, was \"" + key + "\": " + e.getMessage(),
                    e);
        }
    }

    private static void checkInside(Messages.Range range, String at) throws AdminException {
        String end = range.end();
        if (at.compareTo(range.start()) <= 0 || (end != null && at.compareTo(end) >= 0)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "the key must lie inside the range, after \"" + Text.key(range.start()) + "\" and before "
                            + (end == null ? "the end" : "\"" + Text.key(end) + "\"") + ", was \"" + Text.key(at)
                            + "\"");
        }
    }

    /** The range that follows {@code left}. */
    public Messages.Range rightOf(Messages.Range left) throws AdminException {
        return client.ranges(store).ranges().stream()
                .filter(range -> range.start().equals(left.end()))
                .findFirst()
                .orElseThrow(() -> new AdminException(
                        Kind.REFUSED,
                        "range " + left.id() + " is the last one of " + store + ": nothing to its right"));
    }

    public Messages.Result merge(Messages.Range left, Messages.Range right) throws AdminException {
        return carryOut(new Messages.Action(
                store,
                ActionKind.MERGE,
                left.id(),
                left.epoch(),
                null,
                right.id(),
                right.epoch(),
                "",
                client.timeout().toMillis()));
    }

    /** @param node store id of the next leader */
    public Messages.Result transfer(Messages.Range range, NodeNames names, String node) throws AdminException {
        if (!range.voters().contains(node)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "node " + names.shortOf(node) + " is no voter of range " + range.id() + ", only "
                            + names.shortOf(range.voters()) + " are");
        }
        return carryOut(action(ActionKind.MOVE_LEADER, range, null, node));
    }

    /**
     * Checks whether a replica may be moved; see {@link ReplicaMove}.
     *
     * @param mayReduce whether the range may end up with one voter less
     */
    public void checkMove(Messages.Range range, NodeNames names, String source, String target, boolean mayReduce)
            throws AdminException {
        if (source.equals(target)) {
            throw new AdminException(Kind.REFUSED, "both are the same node, " + names.shortOf(source));
        }
        if (!range.hasReplica(source) && !range.voters().contains(target)) {
            throw new AdminException(
                    Kind.REFUSED, "range " + range.id() + " has no replica on " + names.shortOf(source));
        }
        if (!mayReduce) {
            checkReduction(client.ranges(store).wantedVoters(), range, names, source, target);
        }
    }

    /**
     * If the target is a voter already, only the removal of the other is left: the last step of a move, or the loss of
     * a voter.
     */
    private static void checkReduction(int wanted, Messages.Range range, NodeNames names, String source, String target)
            throws AdminException {
        int voters = range.voters().size();
        if (range.voters().contains(target)
                && range.voters().contains(source)
                && (wanted == 0 || voters <= wanted)) { // 0: unknown to an earlier release
            throw new AdminException(
                    Kind.REFUSED,
                    "not done: node " + names.shortOf(target) + " is a voter of range " + range.id()
                            + " already, so nothing would move and the range would keep " + (voters - 1)
                            + (voters == 2 ? " voter of " : " voters of ") + voters + " (wanted: " + wanted
                            + "); name a node without a replica, or allow one voter less (--reduce, lower)");
        }
    }

    /** @throws AdminException of the kind that tells why it was not done */
    Messages.Result carryOut(Messages.Action action) throws AdminException {
        Messages.Result result = client.call(AdminMethods.CARRY_OUT, action);
        check(result);
        return result;
    }

    public static void check(Messages.Result result) throws AdminException {
        switch (result.outcome()) {
            case DONE -> {}
            case STALE -> throw new AdminException(Kind.STALE, "not done, the range has changed: " + result.detail());
            case REFUSED -> throw new AdminException(Kind.REFUSED, "not done: " + result.detail());
            case FAILED ->
                throw new AdminException(
                        Kind.FAILED, "failed, it may have taken effect in part or do so later: " + result.detail());
        }
    }

    /** @param to the node concerned; empty for none */
    public Messages.Action action(ActionKind kind, Messages.Range range, @Nullable String key, String to) {
        return new Messages.Action(
                store,
                kind,
                range.id(),
                range.epoch(),
                key,
                0,
                0,
                to,
                client.timeout().toMillis());
    }

    /** The range with the epoch that the caller expects; the leader refuses if it is not the current one. */
    public static Messages.Range at(Messages.Range range, OptionalLong epoch) {
        return epoch.isEmpty() ? range : range.withEpoch(epoch.getAsLong());
    }
}
