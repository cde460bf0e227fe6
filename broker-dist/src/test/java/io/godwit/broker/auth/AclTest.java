package io.godwit.broker.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.auth.filter.AclFilter;
import io.godwit.broker.auth.password.AuthFileException;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AclTest {
    private static final Path FILE = Path.of("acl");
    private static final ClientInfo ANN = client("c1", "ann");

    private static ClientInfo client(String clientId, @Nullable String user) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), user, "test:1", 5);
    }

    private static Acl acl(String... lines) throws AuthFileException {
        return new Acl(Acl.parse(FILE, List.of(lines)));
    }

    private static boolean publishes(Acl acl, ClientInfo client, String topic) {
        return acl.publish(client, topic) instanceof AuthDecision.Allowed;
    }

    private static boolean subscribes(Acl acl, ClientInfo client, String filter) {
        return acl.subscribe(client, filter) instanceof AuthDecision.Allowed;
    }

    @Test
    void anActionThatNoRuleAllowsIsDenied() throws Exception {
        Acl acl = acl("", "# nobody", "allow publish all a");
        assertThat(publishes(acl, ANN, "a")).isTrue();
        assertThat(publishes(acl, ANN, "b")).isFalse();
        assertThat(subscribes(acl, ANN, "a")).isFalse();
        assertThat(acl.publish(ANN, "b")).isEqualTo(new AuthDecision.Denied("no rule allows it"));
        assertThat(publishes(acl(), ANN, "a")).isFalse();
    }

    @Test
    void theFirstRuleThatAppliesDecidesWhoeverItIsAbout() throws Exception {
        Acl acl = acl(
                "deny all all x/1",
                "allow all user ann x/#",
                "deny all client c1 x/2",
                "deny all user ann x/3",
                "allow all all x/3",
                "deny publish client c2 y/#",
                "allow all all y/#");
        assertThat(acl.publish(ANN, "x/1")).isEqualTo(new AuthDecision.Denied("line 1: deny x/1"));
        assertThat(publishes(acl, ANN, "x/2")).isTrue();
        assertThat(publishes(acl, ANN, "x/3")).isTrue();
        assertThat(publishes(acl, client("c1", "bob"), "x/2")).isFalse();
        assertThat(publishes(acl, client("c1", "bob"), "x/3")).isTrue();
        assertThat(publishes(acl, client("c2", null), "y/1")).isFalse();
        assertThat(subscribes(acl, client("c2", null), "y/1")).isTrue();
        assertThat(publishes(acl, client("c3", null), "y/1")).isTrue();
    }

    @Test
    void anActionIsNamedOrAll() throws Exception {
        Acl acl = acl("allow publish all p", "allow subscribe all s", "allow all all b");
        assertThat(List.of(publishes(acl, ANN, "p"), publishes(acl, ANN, "s"), publishes(acl, ANN, "b")))
                .containsExactly(true, false, true);
        assertThat(List.of(subscribes(acl, ANN, "p"), subscribes(acl, ANN, "s"), subscribes(acl, ANN, "b")))
                .containsExactly(false, true, true);
    }

    @Test
    void aDenyIsNotGotRoundByAWiderSubscription() throws Exception {
        Acl acl = acl("deny subscribe all secret/#", "allow subscribe all #");
        for (String filter : List.of("#", "+/x", "secret", "secret/+/x", "+", "+/+/#")) {
            assertThat(subscribes(acl, ANN, filter)).as(filter).isFalse();
        }
        assertThat(subscribes(acl, ANN, "open/#")).isTrue();
    }

    @Test
    void anAllowMustCoverTheWholeSubscription() throws Exception {
        Acl acl = acl("allow subscribe all a/+/c", "allow subscribe all b/#");
        assertThat(subscribes(acl, ANN, "a/+/c")).isTrue();
        assertThat(subscribes(acl, ANN, "a/x/c")).isTrue();
        assertThat(subscribes(acl, ANN, "a/#")).isFalse();
        assertThat(subscribes(acl, ANN, "b")).isTrue();
        assertThat(subscribes(acl, ANN, "b/+/#")).isTrue();
        assertThat(subscribes(acl, ANN, "#")).isFalse();
    }

    @Test
    void placeholdersStandForWhoAsks() throws Exception {
        Acl acl = acl("allow all all dev/%c/#", "allow all all home-%u/%%/x");
        assertThat(publishes(acl, ANN, "dev/c1/up")).isTrue();
        assertThat(publishes(acl, ANN, "dev/c2/up")).isFalse();
        assertThat(publishes(acl, ANN, "home-ann/%/x")).isTrue();
        assertThat(publishes(acl, client("c1", null), "home-ann/%/x")).isFalse();
        assertThat(subscribes(acl, ANN, "dev/c1/#")).isTrue();
        assertThat(subscribes(acl, ANN, "dev/+/#")).isFalse();
    }

    /** A client chooses its id: with "+" or "a/b" it must not reach topics of others. */
    @ParameterizedTest
    @ValueSource(strings = {"+", "#", "a/b", "x+", "/"})
    void aNameIsNeverAWildcard(String clientId) throws Exception {
        Acl acl = acl("allow all all dev/%c/#", "allow all all %c");
        ClientInfo client = client(clientId, "ann");
        for (String filter : List.of("dev/+/#", "dev/#", "#", "+", "dev/" + clientId, "dev/a/b/c", clientId)) {
            if (TopicFilter.parse(filter).isPresent()) {
                assertThat(subscribes(acl, client, filter)).as(filter).isFalse();
            }
        }
        assertThat(publishes(acl, client, "dev/a/b")).isFalse();
    }

    /** Conversely, a denial for the place of a name denies every name that the wildcard could match. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "+", "#", "b#", "/"})
    void aDenyIsNotEvadedByAName(String clientId) throws Exception {
        Acl acl = acl("deny all all dev/%c/secret", "deny all all %u/x", "allow all all #", "allow all all $a/#");
        ClientInfo client = client(clientId, "ann");
        for (String topic : List.of("dev/a/b/secret", "dev/b", "dev//secret")) {
            assertThat(publishes(acl, client, topic)).as(topic).isFalse();
            assertThat(subscribes(acl, client, topic)).as(topic).isFalse();
        }
        for (String filter : List.of("#", "+/#", "dev/#", "dev/+", "dev/+/b/secret", "+/a/#")) {
            assertThat(subscribes(acl, client, filter)).as(filter).isFalse();
        }
        assertThat(publishes(acl, client, "dev")).isTrue();
        assertThat(publishes(acl, client, "other/a/b/secret")).isTrue();
        assertThat(subscribes(acl, client, "other/#")).isTrue();
        for (String user : List.of("$a", "a/b", "")) {
            assertThat(publishes(acl, client("c", user), "$a/x")).as(user).isFalse();
            assertThat(subscribes(acl, client("c", user), "$a/#")).as(user).isFalse();
        }
        assertThat(publishes(acl, client("c", null), "a/x")).isFalse();
    }

    @Test
    void aNameDoesNotReachTheReservedTopics() throws Exception {
        Acl acl = acl("allow all all %c/#", "allow all all #");
        assertThat(subscribes(acl, client("$SYS", null), "$SYS/#")).isFalse();
        assertThat(subscribes(acl, ANN, "$SYS/#")).isFalse();
        assertThat(subscribes(acl("allow all all $SYS/#"), ANN, "$SYS/broker/+"))
                .isTrue();
    }

    @Test
    void namesAndFiltersMayHaveSpaces() throws Exception {
        Acl acl = acl("allow publish user \"ann \\\"x\\\" b\" \"a b \"", "  allow\tpublish client c 9 lives  ");
        assertThat(publishes(acl, client("c", "ann \"x\" b"), "a b ")).isTrue();
        assertThat(publishes(acl, client("c", null), "9 lives")).isTrue();
    }

    @Test
    void everyMistakeIsToldWithItsLine() {
        assertThatThrownBy(() -> acl(
                        "allow publish all a",
                        "permit publish all a",
                        "allow write all a",
                        "allow all ann a",
                        "allow all user",
                        "allow all user ann",
                        "allow all all a/#/b",
                        "allow all all $share/g/a",
                        "allow all all a/%x",
                        "allow all all \"a",
                        "allow all all $exclusive/a"))
                .isInstanceOf(AuthFileException.class)
                .hasMessageStartingWith("acl: line 2: expected one of [allow, deny], was \"permit\"; line 3: ")
                .hasMessageContainingAll(
                        "line 4", "line 5", "line 6", "line 7", "line 8", "line 9", "line 10", "line 11");
    }

    /** The decisions by levels equal those of testing every topic. */
    @Test
    void coverAndOverlapAgreeWithMatchingTopics() {
        List<String> topics = combine(List.of("a", "b", "c", "$a"), List.of("a", "b", "c"), 4);
        List<String> filters = new ArrayList<>();
        for (String open : combine(List.of("a", "b", "+", "$a"), List.of("a", "b", "+"), 3)) {
            filters.add(open);
            filters.add(open + "/#");
        }
        filters.add("#");
        for (String rule : filters) {
            AclFilter mine = AclFilter.parse(rule);
            TopicFilter mineAsFilter = TopicFilter.parse(rule).orElseThrow();
            List<Boolean> matched = topics.stream().map(mineAsFilter::matches).toList();
            for (String asked : filters) {
                TopicFilter theirs = TopicFilter.parse(asked).orElseThrow();
                boolean covers = true;
                boolean overlaps = false;
                for (int i = 0; i < topics.size(); i++) {
                    if (theirs.matches(topics.get(i))) {
                        covers &= matched.get(i);
                        overlaps |= matched.get(i);
                    }
                }
                String[] levels = AclFilter.levelsOf(asked);
                assertThat(mine.covers(levels, ANN))
                        .as(rule + " covers " + asked)
                        .isEqualTo(covers);
                assertThat(mine.overlaps(levels, ANN))
                        .as(rule + " overlaps " + asked)
                        .isEqualTo(overlaps);
            }
        }
    }

    /** Every topic of up to {@code depth} levels. */
    private static List<String> combine(List<String> first, List<String> others, int depth) {
        List<String> all = new ArrayList<>(first);
        List<String> last = first;
        for (int i = 1; i < depth; i++) {
            List<String> longer = new ArrayList<>();
            for (String head : last) {
                for (String level : others) {
                    longer.add(head + "/" + level);
                }
            }
            all.addAll(longer);
            last = longer;
        }
        return all;
    }
}
