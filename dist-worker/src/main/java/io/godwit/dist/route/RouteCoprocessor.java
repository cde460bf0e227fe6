package io.godwit.dist.route;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.index.KeyClaims;
import io.godwit.dist.index.LeftBehind;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.ViewRecord;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.RecordKeys;
import io.godwit.dist.record.RecordMutation;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one range of routes. It keeps the routes, the view of members ({@link ViewRecord}) and the
 * records of operators ({@link RecordKeys}). After each commit it updates the node's {@link TopicIndex}, which all
 * route ranges and the live receivers share, or its {@link RecordIndex}. The index is updated before the reply, so a
 * route is in force when its write completes.
 */
public final class RouteCoprocessor implements RangeCoprocessor {
    private final TopicIndex index;
    private final CurrentView members;
    private final RecordIndex records;
    /** Set by the first {@link #open}; apply thread only. */
    private boolean opened;

    private RangeBounds bounds = new RangeBounds(new byte[0], null);
    private long epoch;
    /** Null before the first {@link #open} and after {@link #close}. */
    private KeyClaims.@Nullable Claim claim;

    /**
     * @param members gets the view of members, which is stored with the routes
     * @param records gets the records, which are stored with the routes too
     */
    public RouteCoprocessor(TopicIndex index, CurrentView members, RecordIndex records) {
        this.index = index;
        this.members = members;
        this.records = records;
    }

    @Override
    public void epochIs(long now) {
        epoch = now;
    }

    @Override
    public void open(RangeBounds bounds, RangeReader reader) {
        this.bounds = bounds;
        claimKeys();
        boolean areLeft = index.leftBehind().takeOver(bounds); // by an earlier replica of these keys on this node
        if (opened || areLeft) {
            removeVanished(bounds, reader);
        }
        // also the first time: a removed token must not stay in force because an older replica had reported it
        removeVanishedRecords(bounds, reader);
        opened = true;
        add(bounds, reader);
    }

    /**
     * Routes that were split off stay in the index, where the range that has them now updates them; only added keys are
     * read.
     */
    @Override
    public void boundsChanged(RangeBounds before, RangeBounds now, RangeReader reader) {
        bounds = now;
        claimKeys();
        RangeBounds added = now.addedTo(before);
        if (added != null) {
            removeVanishedRecords(added, reader);
            removeVanished(added, reader); // this node's replica of the merged range may have been behind
            add(added, reader);
        }
    }

    /** The routes stay in force, see {@link LeftBehind}. */
    @Override
    public void close() {
        if (opened) {
            index.leftBehind().add(bounds);
        }
        if (claim != null) {
            index.claims().release(claim);
            claim = null;
        }
    }

    private void claimKeys() {
        if (claim == null) {
            claim = index.claims().claim(bounds, epoch);
        } else {
            index.claims().change(claim, bounds, epoch);
        }
    }

    /** Whether no other replica of this node has newer data for {@code key}. */
    private boolean isNewest(byte[] key) {
        KeyClaims.Claim mine = claim;
        return mine != null && mine.isNewest(key);
    }

    private void add(RangeBounds added, RangeReader reader) {
        try (RangeCursor cursor = reader.cursor(added.start(), added.end())) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                if (ViewRecord.isKey(cursor.key())) {
                    members.stored(cursor.value());
                } else if (RecordKeys.isKey(cursor.key())) {
                    if (isNewest(cursor.key())) {
                        records.stored(cursor.key(), cursor.value());
                    }
                } else {
                    addToIndex(cursor.key(), cursor.value());
                }
            }
        }
    }

    @Override
    public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
        List<byte[]> replies = new ArrayList<>(mutations.size());
        for (byte[] mutation : mutations) {
            if (ViewRecord.isMutation(mutation)) {
                replies.add(ViewRecord.apply(bounds, writes, mutation, afterCommit, members));
                continue;
            }
            if (RecordMutation.isMutation(mutation)) {
                replies.add(RecordMutation.apply(bounds, writes, mutation, afterCommit, this::isNewest, records));
                continue;
            }
            List<RouteMutation.Change> changes = RouteMutation.decode(mutation);
            byte[] reply = RouteMutation.reply(changes.size());
            for (int i = 0; i < changes.size(); i++) {
                RouteMutation.set(reply, i, apply(writes, changes.get(i), afterCommit));
            }
            replies.add(reply);
        }
        return replies;
    }

    @Override
    public byte[] query(RangeReader snapshot, byte[] query) {
        RouteQuery page = RouteQuery.decode(query);
        List<RouteQuery.Entry> entries = new ArrayList<>();
        try (RangeCursor cursor = snapshot.cursor(page.from(), page.to())) {
            for (cursor.seekToFirst(); cursor.isValid() && entries.size() < page.maxRoutes(); cursor.next()) {
                if (!ViewRecord.isKey(cursor.key()) && !RecordKeys.isKey(cursor.key())) {
                    entries.add(new RouteQuery.Entry(cursor.key(), cursor.value()));
                }
            }
            return new RouteQuery.Answer(entries, cursor.isValid()).encode();
        }
    }

    /** Applies one change. Returns the outcome, see {@link RouteMutation}. */
    private byte apply(RangeWrites writes, RouteMutation.Change change, Consumer<Runnable> afterCommit) {
        byte[] key = change.key();
        byte[] value = change.value();
        if (!bounds.contains(key)) {
            return RouteMutation.ELSEWHERE;
        }
        if (isOutdated(writes, change)) {
            return RouteMutation.OUTDATED;
        }
        if (value == null) {
            writes.delete(key);
            Route.Key removed = RouteKeys.parse(key);
            afterCommit.accept(() -> {
                if (isNewest(key)) {
                    index.tenant(removed.receiver().tenant()).remove(removed.filter(), removed.receiver());
                }
            });
            return RouteMutation.APPLIED;
        }
        writes.put(key, value);
        afterCommit.accept(() -> addToIndex(key, value));
        return RouteMutation.APPLIED;
    }

    /**
     * Whether the stored route has a larger number: from a later attachment of the session, or from a later change of
     * this one. The same write may come twice.
     */
    private static boolean isOutdated(RangeReader stored, RouteMutation.Change change) {
        if (change.number().isNone()) {
            return false;
        }
        byte[] before = stored.get(change.key());
        return before != null && RouteKeys.number(before).compareTo(change.number()) > 0;
    }

    private void addToIndex(byte[] key, byte[] value) {
        if (!isNewest(key)) {
            return;
        }
        Route route = RouteKeys.route(key, value);
        TenantIndex tenant = index.tenant(route.receiver().tenant());
        InboxReceiver receiver = new InboxReceiver(
                tenant.id(), route.receiver().clientId(), route.receiver().incarnation());
        tenant.add(route.filter(), receiver, route.options());
    }

    /**
     * Removes routes from the index that are not stored. An installed snapshot may lack routes that the index learned
     * from the state before it. Visits the whole index, but looks up only keys within {@code within}.
     */
    private void removeVanished(RangeBounds within, RangeReader reader) {
        index.forEachTenant(tenant -> {
            List<Route.Key> vanished = new ArrayList<>();
            tenant.forEachRoute((filter, receiver) -> {
                byte[] key = RouteKeys.key(filter, receiver);
                if (within.contains(key) && isNewest(key) && reader.get(key) == null) {
                    vanished.add(new Route.Key(filter, receiver));
                }
            });
            vanished.forEach(route -> tenant.remove(route.filter(), route.receiver()));
        });
    }

    /** The same for records, of which there are some thousands at most. */
    private void removeVanishedRecords(RangeBounds within, RangeReader reader) {
        records.removeVanished(key -> within.contains(key) && isNewest(key) && reader.get(key) == null);
    }
}
