package io.godwit.dist.peer.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.MemberChange;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Which connected members other nodes are told of, and what the feed of one peer sends of them. */
class ConnectedHereTest {
    private static final int ALL = 1_000;

    private final ConnectedHere members = new ConnectedHere(Long.MAX_VALUE);
    private final List<GroupMember> changed = new ArrayList<>();
    private long nowNanos;

    private static GroupMember member(int number) {
        return member("t", "client" + number);
    }

    private static GroupMember member(String filter, String clientId) {
        return new GroupMember(
                new TopicFilter("g", filter), new InboxReceiver(TenantId.DEFAULT, new ClientId(clientId), 1));
    }

    private void pass(ConnectedHere all) {
        nowNanos += ConnectedHere.DELAY.toNanos();
        all.advance(nowNanos, ALL, changed::add);
    }

    @Test
    void aClientThatComesAndGoesWithinTheDelayIsNotToldOf() {
        members.set(member(1), true, nowNanos);
        members.set(member(1), false, nowNanos + 1);
        members.set(member(2), true, nowNanos);
        pass(members);
        assertThat(changed).containsExactly(member(2));
        changed.clear();

        members.set(member(2), false, nowNanos);
        members.set(member(2), true, nowNanos + 1);
        pass(members);
        assertThat(changed).isEmpty();
        assertThat(members.hasChanges()).isFalse();
        assertThat(members.isTold(member(2))).isTrue();

        members.set(member(2), true, nowNanos);
        assertThat(members.hasChanges()).as("it is known").isFalse();
    }

    @Test
    void aClientThatComesAndGoesAllTheTimeIsToldOfAtMostOnceInTheDelay() {
        long began = nowNanos;
        for (int i = 0; i < 1_000; i++) {
            members.set(member(1), i % 2 == 0, nowNanos);
            nowNanos += ConnectedHere.DELAY.toNanos() / 6;
            members.advance(nowNanos, ALL, changed::add);
        }
        assertThat(changed.size()).isPositive().isLessThanOrEqualTo((int)
                ((nowNanos - began) / ConnectedHere.DELAY.toNanos()));
    }

    @Test
    void manyChangesAreMadeSomeAtATime() {
        for (int i = 0; i < 25; i++) {
            members.set(member(i), true, nowNanos);
        }
        nowNanos += ConnectedHere.DELAY.toNanos();
        assertThat(members.advance(nowNanos, 10, changed::add)).isTrue();
        assertThat(changed).hasSize(10);
        assertThat(members.advance(nowNanos, 10, changed::add)).isTrue();
        assertThat(members.advance(nowNanos, 10, changed::add)).isFalse();
        assertThat(changed).hasSize(25);
        assertThat(members.hasChanges()).isFalse();
    }

    @Test
    void thoseBeyondTheLimitAreToldWhenThereIsRoomAgainAndSmallOnesFirst() {
        GroupMember large = member("x".repeat(10_000), "large");
        long room = large.heapBytes() + member(1).heapBytes();
        ConnectedHere bounded = new ConnectedHere(room);
        bounded.set(large, true, nowNanos);
        bounded.set(member(1), true, nowNanos);
        pass(bounded);
        GroupMember other = member("x".repeat(10_000), "black");
        bounded.set(other, true, nowNanos);
        bounded.set(member(2), true, nowNanos);
        bounded.set(member(3), true, nowNanos);
        pass(bounded);
        assertThat(changed).containsExactlyInAnyOrder(large, member(1));
        assertThat(bounded.bytes()).isEqualTo(room);
        assertThat(bounded.untold()).isEqualTo(3);

        bounded.set(large, false, nowNanos);
        bounded.set(member(3), false, nowNanos);
        changed.clear();
        pass(bounded);
        assertThat(changed).containsExactly(large, member(2));
        assertThat(bounded.untold()).isOne();
        bounded.set(member(2), false, nowNanos);
        pass(bounded);
        assertThat(bounded.isTold(other)).isTrue();
        assertThat(bounded.untold()).isZero();
        assertThat(bounded.bytes()).isEqualTo(room);

        bounded.set(member(4), true, nowNanos);
        pass(bounded);
        bounded.set(member(4), false, nowNanos);
        pass(bounded);
        assertThat(bounded.untold()).isZero();
        assertThat(bounded.size()).isEqualTo(2);
    }

    /** A new session each time: all of these are different members. */
    @Test
    void aPeerThatStandsStillCostsNothingForClientsThatComeAndGo() {
        MemberFeed feed = new MemberFeed(members);
        FilterChanges.Builder list = FilterChanges.newBuilder();
        feed.fill(list, ALL);
        assertThat(list.getMembersCount()).isZero();
        assertThat(feed.hasUnsent()).isFalse();
        for (int i = 0; i < 10_000; i++) {
            for (boolean isConnected : new boolean[] {true, false}) {
                members.set(member(i), isConnected, nowNanos);
                nowNanos += ConnectedHere.DELAY.toNanos();
                members.advance(nowNanos, ALL, feed::changed);
                assertThat(feed.hasUnsent()).isEqualTo(isConnected);
            }
        }
    }

    /**
     * Clients come and go in any order while peers join and are sent frames of any size. Each peer hears only what
     * changes its knowledge, never knows more than the limit, and knows all in the end.
     */
    @Property(tries = 200)
    void everyPeerKnowsWhatIsTold(@ForAll long seed) {
        Random random = new Random(seed);
        long limit = 12 * member(10).heapBytes();
        ConnectedHere bounded = new ConnectedHere(limit);
        Set<GroupMember> connected = new HashSet<>();
        Map<MemberFeed, Set<String>> known = new HashMap<>();
        for (int step = 0; step < 400; step++) {
            int kind = random.nextInt(100);
            if (kind < 60) {
                GroupMember member = member(10 + random.nextInt(30));
                boolean isConnected = random.nextBoolean();
                bounded.set(member, isConnected, nowNanos);
                if (isConnected) {
                    connected.add(member);
                } else {
                    connected.remove(member);
                }
            } else if (kind < 80) {
                nowNanos += ConnectedHere.DELAY.toNanos() / 3;
                int most = 1 + random.nextInt(5);
                bounded.advance(nowNanos, most, member -> known.keySet().forEach(feed -> feed.changed(member)));
            } else if (kind < 98) {
                known.forEach((feed, its) -> {
                    if (random.nextBoolean()) {
                        send(feed, its, 1 + random.nextInt(200), limit);
                    }
                });
            } else {
                known.put(new MemberFeed(bounded), new HashSet<>());
            }
        }
        nowNanos += ConnectedHere.DELAY.toNanos();
        bounded.advance(nowNanos, ALL, member -> known.keySet().forEach(feed -> feed.changed(member)));
        assertThat(bounded.size() + bounded.untold()).isEqualTo(connected.size());
        assertThat(bounded.size()).isEqualTo(Math.min(12, connected.size()));
        Set<String> told = new HashSet<>();
        bounded.after(null)
                .forEach(member -> told.add(member.receiver().clientId().value()));
        known.forEach((feed, its) -> {
            while (feed.hasUnsent()) {
                send(feed, its, 50, limit);
            }
            assertThat(its).isEqualTo(told);
        });
    }

    private static void send(MemberFeed feed, Set<String> known, int room, long limit) {
        FilterChanges.Builder frame = FilterChanges.newBuilder();
        feed.fill(frame, room);
        for (MemberChange change : frame.getMembersList()) {
            boolean isNew =
                    change.getConnected() ? known.add(change.getClientId()) : known.remove(change.getClientId());
            assertThat(isNew).isTrue();
        }
        assertThat(known.size() * member(10).heapBytes()).isLessThanOrEqualTo(limit);
    }
}
