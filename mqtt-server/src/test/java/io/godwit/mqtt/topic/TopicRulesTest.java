package io.godwit.mqtt.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicRulesTest {
    private static final ClientInfo CLIENT = client("c1", "ann");

    @Test
    void theFirstRuleForATopicGivesItItsName() {
        ClientTopics topics = topics(
                "",
                "publish y/+/z/# ^y/(.+)/z/(.+)$ y/z/$2",
                "all x/# ^x/y/(\\d+)$ z/y/$1",
                "all x/# ^(x/)(.*) w/$2$1");

        assertThat(topics.published("y/a/z/b/c")).isEqualTo("y/z/b/c");
        assertThat(topics.published("x/y/12")).isEqualTo("z/y/12");
        assertThat(topics.published("x/other")).isEqualTo("w/otherx/");
        assertThat(topics.published("other")).isEqualTo("other");
        assertThat(subscribed(topics, "y/a/z/b")).isEqualTo("y/a/z/b");
        assertThat(subscribed(topics, "x/y/12")).isEqualTo("z/y/12");
        assertThat(subscribed(topics, "$share/g/x/+/a")).isEqualTo("$share/g/w/+/ax/");
    }

    @Test
    void aNameThatWouldNotBeValidIsNotGiven() {
        ClientTopics topics = topics("", "all x/# ^x/(.+)$ a/#/$1", "all v/# ^v/(.*)$ $1");

        assertThat(topics.published("x/y")).isEqualTo("x/y");
        assertThat(subscribed(topics, "x/y")).isEqualTo("x/y");
        assertThat(topics.published("v/")).isEqualTo("v/");
        assertThat(subscribed(topics, "v/$share/g/a")).isEqualTo("v/$share/g/a");
    }

    @Test
    void namesOfTheClientAreFilledInAndReadAsNothingElse() {
        List<RewriteRule> rules = List.of(RewriteRule.parse("all in/# ^in/(.+)$ of/%c/$1/%u"));
        TopicRules all = new TopicRules(rules, List.of(), false, 0, false);

        assertThat(ClientTopics.of(all, CLIENT, "").orElseThrow().published("in/a"))
                .isEqualTo("of/c1/a/ann");
        assertThat(ClientTopics.of(all, client("$1", "%c"), "").orElseThrow().published("in/%u"))
                .isEqualTo("of/$1/%u/%c");
        assertThat(ClientTopics.of(all, client("c1", null), "").orElseThrow().published("in/a"))
                .isEqualTo("in/a");
        assertThat(ClientTopics.of(all, client("a/b", "ann"), "").orElseThrow().published("in/a"))
                .isEqualTo("in/a");
    }

    @Test
    void aMountPointStandsBeforeAllThatTheClientNames() {
        ClientTopics topics = topics("t/%u/", "publish raw ^raw$ cooked");

        assertThat(topics.published("raw")).isEqualTo("t/ann/cooked");
        assertThat(topics.delivered("t/ann/cooked")).isEqualTo("cooked");
        assertThat(topics.isMounted()).isTrue();
        Subscription asked = new Subscription(TopicFilter.parse("$oshare/g/+/a").orElseThrow(), Qos.AT_LEAST_ONCE);
        TopicFilter within = topics.subscribed(List.of(asked)).get(0).filter();
        assertThat(within.text()).isEqualTo("$oshare/g/t/ann/+/a");
        assertThat(topics.unsubscribed(List.of(asked.filter()))).containsExactly(within);
    }

    @Test
    void theTopicOfADelayedMessageIsTheOneThatIsRenamed() {
        ClientTopics topics = topics("t/%u/", "publish raw ^raw$ cooked");
        assertThat(topics.published("$delayed/5/raw")).isEqualTo("$delayed/5/t/ann/cooked");
        assertThat(topics.published("$delayed/raw")).isEqualTo("t/ann/$delayed/raw");
    }

    @Test
    void aDelayMustBeANumberUpToTheLongest() {
        TopicRules rules = new TopicRules(List.of(), List.of(), false, 60, false);
        assertThat(rules.refusal("$delayed/60/a")).isNull();
        assertThat(rules.refusal("$delayed/61/a")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
        assertThat(rules.refusal("$delayed/a")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
        assertThat(rules.refusal("$other")).isNull();
        assertThat(TopicRules.NONE.refusal("$delayed/a")).isNull();
        assertThat(TopicRules.NONE.isDelayed("$delayed/1/a")).isFalse();
    }

    /** The inner topic is checked once, and the longest delay applies to the whole. */
    @Test
    void aDelayedMessageIsNotDelayedAgain() {
        TopicRules rules = new TopicRules(List.of(), List.of(), false, 60, false);
        assertThat(rules.refusal("$delayed/0/$delayed/0/secret")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
        assertThat(rules.refusal("$delayed/0/$delayed/x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
        assertThat(rules.refusal("$delayed/0/a/$delayed/0/b")).isNull();
    }

    @Test
    void onlyTheBrokerPublishesBelowSysWhenItDoes() {
        TopicRules rules = new TopicRules(List.of(), List.of(), false, 60, true);
        assertThat(rules.refusal("$SYS/broker/version")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(rules.refusal("$SYS")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(rules.refusal("$delayed/1/$SYS/a")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(rules.refusal("$SYSTEM/a")).isNull();
        assertThat(TopicRules.NONE.refusal("$SYS/a")).isNull();
    }

    /** Who chooses a name must not choose another one's place with it. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "+", "#", "x#", ""})
    void aNameThatIsNotOneLevelHasNoMountPoint(String userName) {
        assertThat(ClientTopics.of(TopicRules.NONE, client("c1", userName), "t/%u/"))
                .isEmpty();
        assertThat(ClientTopics.of(TopicRules.NONE, client("c1", null), "t/%u/"))
                .isEmpty();
        assertThat(ClientTopics.of(TopicRules.NONE, client("c1", userName), "t/%c/"))
                .isPresent();
    }

    /** A name must not make one of the broker's own topics out of a common one. */
    @Test
    void aNameDoesNotReachTheReservedTopics() {
        ClientInfo sys = client("$SYS", "$share");
        assertThat(ClientTopics.of(TopicRules.NONE, sys, "%c/")).isEmpty();
        assertThat(ClientTopics.of(TopicRules.NONE, sys, "t/%c/")).isPresent();
        List<RewriteRule> rules = List.of(RewriteRule.parse("all in/# ^in/(.+)$ %c/$1"));
        ClientTopics topics = ClientTopics.of(new TopicRules(rules, List.of(), false, 0, false), sys, "")
                .orElseThrow();
        assertThat(topics.published("in/a")).isEqualTo("in/a");
        assertThat(subscribed(topics, "in/#")).isEqualTo("in/#");
        List<AutoSubscription> subscriptions = Stream.of("%c/#", "%u/g/#", "$share/g/%c/#", "%c", "x/%c")
                .map(AutoSubscription::parse)
                .toList();
        assertThat(new TopicRules(List.of(), subscriptions, false, 0, false).autoSubscriptions(sys))
                .extracting(s -> s.filter().text())
                .containsExactly("x/$SYS");
    }

    @Test
    void whatATopicIsRenamedToIsWhatMustBeAllowed() {
        List<RewriteRule> rules = List.of(RewriteRule.parse("publish a/# ^a/(.*)$ $1"));
        TopicRules all = new TopicRules(rules, List.of(), false, 60, true);
        for (String mountPoint : List.of("", "t/%u/")) {
            ClientTopics topics = ClientTopics.of(all, CLIENT, mountPoint).orElseThrow();
            assertThat(topics.refusal(all, "a/$SYS/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(topics.refusal(all, "$SYS/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(topics.refusal(all, "a/$delayed/999999999/x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(topics.refusal(all, "$delayed/1/a/$delayed/1/x")).isEqualTo(ReasonCode.TOPIC_NAME_INVALID);
            assertThat(topics.refusal(all, "$delayed/1/a/$SYS/x")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(topics.refusal(all, "$delayed/1/a/x")).isNull();
            assertThat(topics.refusal(all, "a/x")).isNull();
        }
        assertThat(ClientTopics.of(all, CLIENT, "").orElseThrow().published("a/$delayed/5/x"))
                .isEqualTo("$delayed/5/x");
        assertThat(ClientTopics.of(all, CLIENT, "t/%u/").orElseThrow().published("a/$delayed/5/x"))
                .isEqualTo("$delayed/5/t/ann/x");
    }

    @Test
    void belowAMountPointNoTopicBeginsWithADollar() {
        TopicRules rules = new TopicRules(List.of(), List.of(), false, 60, false);
        ClientTopics mounted = ClientTopics.of(rules, CLIENT, "t/%u/").orElseThrow();
        assertThat(mounted.refusal(rules, "$foo")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(mounted.refusal(rules, "$delayed/1/$foo")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(mounted.refusal(rules, "$delayed/1/foo")).isNull();
        assertThat(ClientTopics.UNCHANGED.refusal(rules, "$foo")).isNull();
        assertThat(mounted.delivered("t/ann/$foo")).isNull();
        assertThat(mounted.delivered("t/ann/")).isNull();
        assertThat(mounted.delivered("t/ann")).isNull();
        assertThat(mounted.delivered("t/bob/x")).isNull();
        assertThat(mounted.delivered("t/ann/x/$foo")).isEqualTo("x/$foo");
    }

    @Test
    void aRewrittenFilterIsNeitherSharedNorExclusive() {
        ClientTopics topics = topics("", "all v/# ^v/(.*)$ $1");
        assertThat(subscribed(topics, "v/$exclusive/a")).isEqualTo("v/$exclusive/a");
    }

    @Test
    void aTopicTooLongBelowTheMountPointIsRefused() {
        ClientTopics topics = topics("0123456789");
        assertThat(topics.published("x".repeat(65_525))).hasSize(65_535);
        assertThatThrownBy(() -> topics.published("x".repeat(65_526))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void withoutRulesNothingIsMade() {
        assertThat(ClientTopics.of(TopicRules.NONE, CLIENT, "")).containsSame(ClientTopics.UNCHANGED);
        assertThat(ClientTopics.UNCHANGED.published("a")).isEqualTo("a");
        assertThat(ClientTopics.UNCHANGED.delivered("a")).isEqualTo("a");
        assertThat(ClientTopics.UNCHANGED.isMounted()).isFalse();
    }

    @Test
    void everyClientGetsItsAutomaticSubscriptions() {
        TopicRules rules = new TopicRules(
                List.of(),
                Stream.of("all/# 1", "of/%c/+", "$share/g/of/%u 2")
                        .map(AutoSubscription::parse)
                        .toList(),
                false,
                0,
                false);

        assertThat(rules.autoSubscriptions(CLIENT))
                .extracting(s -> s.filter().text() + " " + s.qos().value())
                .containsExactly("all/# 1", "of/c1/+ 0", "$share/g/of/ann 2");
        assertThat(rules.autoSubscriptions(client("a/#", null)))
                .extracting(s -> s.filter().text())
                .containsExactly("all/#");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "publish a b|must be",
                "other a b c|must begin with publish, subscribe or all",
                "all a# b c|is no topic filter",
                "all $share/g/a b c|is no topic filter",
                "all a ( c|is no regular expression",
                "all a (b) $2|names group 2 of a pattern that has 1"
            })
    void aRuleThatCannotBeReadSaysWhy(String text, String problem) {
        assertThatThrownBy(() -> RewriteRule.parse(text)).hasMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a 3", "a b c", "a# 1", "$share/g 1"})
    void anAutomaticSubscriptionThatCannotBeReadSaysWhy(String text) {
        assertThatThrownBy(() -> AutoSubscription.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static ClientTopics topics(String mountPoint, String... rules) {
        List<RewriteRule> rewrites = Stream.of(rules).map(RewriteRule::parse).toList();
        return ClientTopics.of(new TopicRules(rewrites, List.of(), false, 60, false), CLIENT, mountPoint)
                .orElseThrow();
    }

    private static String subscribed(ClientTopics topics, String filter) {
        Subscription asked = new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_MOST_ONCE);
        return topics.subscribed(List.of(asked)).get(0).filter().text();
    }

    private static ClientInfo client(String clientId, @Nullable String userName) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), userName, "test:1", 5);
    }
}
