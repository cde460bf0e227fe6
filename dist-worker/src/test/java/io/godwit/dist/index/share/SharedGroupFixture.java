package io.godwit.dist.index.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shared groups with members of all kinds, and picks from them, by a clock that the test moves. */
abstract class SharedGroupFixture {
    static final ClientId PUBLISHER = new ClientId("p");

    long nowNanos;

    SharedGroup ordered() {
        return new SharedGroup(filter("$oshare/g/a"), new SharedStrategies(SharedPick.RANDOM), () -> nowNanos);
    }

    SharedGroup group(SharedPick pick, int members) {
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(pick), () -> nowNanos);
        for (int i = 0; i < members; i++) {
            group.add(member(new TestReceiver("m" + i)));
        }
        return group;
    }

    static Map<Receiver, Integer> counts(SharedGroup group, int picks) {
        return counts(group, null, picks);
    }

    static Map<Receiver, Integer> counts(SharedGroup group, @Nullable SharedPick asked, int picks) {
        Map<Receiver, Integer> counts = new HashMap<>();
        for (int i = 0; i < picks; i++) {
            counts.merge(pick(group, PUBLISHER, "a", asked), 1, Integer::sum);
        }
        return counts;
    }

    static Map<String, Receiver> owners(SharedGroup group, int topics) {
        Map<String, Receiver> owners = new LinkedHashMap<>();
        for (int i = 0; i < topics; i++) {
            owners.put("t" + i, pick(group, PUBLISHER, "t" + i));
        }
        return owners;
    }

    static Receiver only(Map<Receiver, Integer> counts) {
        assertThat(counts).hasSize(1);
        return counts.keySet().iterator().next();
    }

    static Receiver pick(SharedGroup group, ClientId publisher, String topic) {
        return pick(group, publisher, topic, null);
    }

    static Receiver pick(SharedGroup group, ClientId publisher, String topic, @Nullable SharedPick asked) {
        SharedMember picked = group.pick(publisher, topic, asked);
        assertThat(picked).isNotNull();
        return picked.match().receiver();
    }

    static SharedMember memberOf(SharedGroup group, Receiver receiver) {
        SharedMember member = group.memberOf(receiver);
        assertThat(member).isNotNull();
        return member;
    }

    static Match member(Receiver receiver) {
        return new Match(receiver, Qos.AT_LEAST_ONCE, false, Match.NO_IDS);
    }

    static InboxReceiver inbox(String name) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(name), 1);
    }

    static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
