package io.godwit.dist.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReceiverListTest {
    private record Live(ClientId clientId, int membersElsewhere) implements LiveReceiver {}

    private final TenantIndex index =
            new TenantIndex(TenantId.DEFAULT, new SharedStrategies(SharedPick.RANDOM, Map.of()));

    private void live(String filter, String clientId, int membersElsewhere, int qos, boolean noLocal) {
        index.add(
                TopicFilter.parse(filter).orElseThrow(),
                new Live(new ClientId(clientId), membersElsewhere),
                new SubscriptionOptions(Qos.of(qos), noLocal, false, 0));
    }

    private void stored(String filter, String clientId) {
        index.add(
                TopicFilter.parse(filter).orElseThrow(),
                new InboxReceiver(TenantId.DEFAULT, new ClientId(clientId), 1),
                new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0));
    }

    private static List<String> ids(List<Match> matches) {
        return matches.stream()
                .map(match -> match.receiver().clientId().value()
                        + (match.sharedBy() == null
                                ? ""
                                : " by " + match.sharedBy().text()))
                .toList();
    }

    @Test
    void allWhomATopicGoesToAreListedOnceAndMembersOfGroupsByTheirGroup() {
        live("a/b", "exact", 0, 0, false);
        live("a/+", "wild", 0, 1, false);
        live("a/#", "wild", 0, 2, false);
        live("a/#", "own", 0, 0, true);
        live("b/#", "other", 0, 0, false);
        live("$share/g/a/b", "member", 0, 0, false);
        live("$share/g/a/b", "elsewhere", 3, 0, false);
        stored("a/b", "kept");
        stored("$share/g/a/b", "kept member");
        TopicReceivers receivers = ReceiverList.of(index, "a/b", 10);
        assertThat(ids(receivers.live())).containsExactlyInAnyOrder("exact", "wild", "own", "member by $share/g/a/b");
        assertThat(receivers.liveTotal()).isEqualTo(4);
        assertThat(ids(receivers.stored())).containsExactlyInAnyOrder("kept", "kept member by $share/g/a/b");
        assertThat(receivers.storedTotal()).isEqualTo(2);
        assertThat(receivers.live())
                .filteredOn(match -> match.receiver().clientId().value().equals("wild"))
                .extracting(Match::qos)
                .containsExactly(Qos.EXACTLY_ONCE);
    }

    @Test
    void soManyAreListedAndAllAreCounted() {
        for (int i = 0; i < 20; i++) {
            live("t", "c" + i, 0, 0, false);
            stored("t", "s" + i);
        }
        TopicReceivers receivers = ReceiverList.of(index, "t", 3);
        assertThat(receivers.live()).hasSize(3);
        assertThat(receivers.stored()).hasSize(3);
        assertThat(receivers.liveTotal()).isEqualTo(20);
        assertThat(receivers.storedTotal()).isEqualTo(20);
        assertThat(ReceiverList.of(index, "nobody/has/it", 3)).isEqualTo(TopicReceivers.NONE);
    }

    @Test
    void whoHasAFilterIsListedWithTheGroupsOnIt() {
        live("a/+", "plain", 0, 1, false);
        live("a/#", "other", 0, 1, false);
        live("$exclusive/a/+", "alone", 0, 1, false);
        live("$share/g/a/+", "member", 0, 1, false);
        live("$share/h/a/+", "elsewhere", 2, 1, false);
        stored("$share/h/a/+", "kept");
        stored("a/x", "exact");
        TopicReceivers all = ReceiverList.of(index, TopicFilter.parse("a/+").orElseThrow(), 10);
        assertThat(ids(all.live())).containsExactlyInAnyOrder("plain", "alone", "member by $share/g/a/+");
        assertThat(ids(all.stored())).containsExactly("kept by $share/h/a/+");
        TopicReceivers group =
                ReceiverList.of(index, TopicFilter.parse("$share/g/a/+").orElseThrow(), 10);
        assertThat(ids(group.live())).containsExactly("member by $share/g/a/+");
        assertThat(group.storedTotal()).isZero();
        assertThat(ids(ReceiverList.of(index, TopicFilter.parse("a/x").orElseThrow(), 10)
                        .stored()))
                .containsExactly("exact");
        assertThat(ReceiverList.of(index, TopicFilter.parse("b/+").orElseThrow(), 10))
                .isEqualTo(TopicReceivers.NONE);
    }

    @Test
    void groupsAreListedWithTheirMembersHereAndElsewhere() {
        live("$share/g/a/+", "one", 0, 0, false);
        live("$share/g/a/+", "two", 0, 0, false);
        live("$share/g/a/+", "elsewhere", 3, 0, false);
        stored("$share/g/a/+", "kept");
        live("$queue/b", "worker", 0, 0, false);
        live("$oshare/g/b", "worker", 0, 0, false);
        live("b", "nobody's", 0, 0, false);
        assertThat(GroupList.of(index, null, null, null, 10))
                .extracting(group -> group.filter().text() + " " + group.live() + group.elsewhere() + group.stored())
                .containsExactly("$oshare/g/b 100", "$queue/b 100", "$share/g/a/+ 231");
        assertThat(GroupList.of(index, "g", "b", null, 10)).hasSize(1);
        assertThat(GroupList.of(index, null, null, "$oshare/g/b", 1))
                .extracting(group -> group.filter().text())
                .containsExactly("$queue/b");
        assertThat(GroupList.of(index, null, null, "$share/g/a/+", 1)).isEmpty();
    }
}
