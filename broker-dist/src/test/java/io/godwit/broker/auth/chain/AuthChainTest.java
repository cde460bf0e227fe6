package io.godwit.broker.auth.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.auth.ClientDecisions;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AuthChainTest {
    private static final ClientInfo CLIENT = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), "u", "10.0.0.1:5", 5);
    private static final ConnectResult REFUSED =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "wrong password");
    private static final AuthDecision DENIED = new AuthDecision.Denied("a rule");

    private final List<String> asked = new ArrayList<>();

    /** The ways in which a provider fails. */
    private enum Wrong {
        THROWS,
        FAILS,
        NULL_FUTURE,
        NULL_ANSWER,
        NEVER
    }

    private static <T> @Nullable CompletableFuture<T> wrong(Wrong how) {
        return switch (how) {
            case THROWS -> throw new IllegalStateException("broken");
            case FAILS -> CompletableFuture.failedFuture(new IllegalStateException("broken"));
            case NULL_FUTURE -> null;
            case NULL_ANSWER -> CompletableFuture.completedFuture(null);
            case NEVER -> new CompletableFuture<>();
        };
    }

    /** Gives the answers that the test sets, at once or when {@link #go} is complete. */
    private final class Scripted implements AuthProvider {
        private final String name;
        private Set<AuthCheck> checks = EnumSet.allOf(AuthCheck.class);
        private ConnectResult result = ConnectResult.UNDECIDED;
        private AuthDecision decision = AuthDecision.UNDECIDED;
        private @Nullable Wrong wrong;
        private CompletableFuture<Boolean> go = CompletableFuture.completedFuture(true);
        private @Nullable String method;
        private List<AuthStep> steps = new ArrayList<>();
        private long version;
        private @Nullable Object seen;

        private Scripted(String name) {
            this.name = name;
        }

        private Scripted checking(AuthCheck... wanted) {
            checks = EnumSet.noneOf(AuthCheck.class);
            checks.addAll(List.of(wanted));
            return this;
        }

        private Scripted connects(ConnectResult with) {
            result = with;
            return this;
        }

        private Scripted decides(AuthDecision with) {
            decision = with;
            return this;
        }

        private Scripted goesWrong(Wrong how) {
            wrong = how;
            return this;
        }

        private Scripted talks(String how, AuthStep... answers) {
            method = how;
            steps = new ArrayList<>(List.of(answers));
            return this;
        }

        @Override
        public Set<AuthCheck> checks() {
            return checks;
        }

        @Override
        public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
            asked.add(name);
            return wrong == null ? go.thenApply(done -> result) : wrong(wrong);
        }

        @Override
        public @Nullable AuthExchange exchange(ExchangeRequest request) {
            if (method == null) {
                return null;
            }
            if (!request.method().equals(method)) {
                return new AuthExchange() { // as that of a plugin, whose answer is known later
                    @Override
                    public CompletableFuture<AuthStep> onData(byte[] data) {
                        asked.add(name);
                        return CompletableFuture.completedFuture(ClientDecisions.UNKNOWN_METHOD);
                    }

                    @Override
                    public void close() {
                        asked.add(name + " closed");
                    }
                };
            }
            return new AuthExchange() {
                @Override
                public CompletableFuture<AuthStep> onData(byte[] data) {
                    asked.add(name);
                    return wrong == null ? go.thenApply(done -> steps.remove(0)) : wrong(wrong);
                }

                @Override
                public void close() {
                    asked.add(name + " closed");
                }
            };
        }

        private CompletableFuture<AuthDecision> decision(@Nullable Object grant) {
            asked.add(name);
            seen = grant;
            return wrong == null ? go.thenApply(done -> decision) : wrong(wrong);
        }

        @Override
        public CompletableFuture<AuthDecision> publish(PublishRequest request) {
            return decision(request.grant());
        }

        @Override
        public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
            return decision(request.grant());
        }

        @Override
        public long rulesVersion() {
            return version;
        }

        @Override
        public void close() {
            asked.add(name + " closed");
            if (wrong == Wrong.THROWS) {
                throw new IllegalStateException("broken");
            }
        }
    }

    private final Scripted first = new Scripted("first");
    private final Scripted second = new Scripted("second");
    private final Scripted third = new Scripted("third");

    private AuthChain chain() {
        return new AuthChain(List.of(
                new AuthChain.Named("first", first),
                new AuthChain.Named("second", second),
                new AuthChain.Named("third", third)));
    }

    private static ConnectResult accepted(String user) {
        return new ConnectResult.Accepted(TenantId.DEFAULT, user).granting("rights of " + user);
    }

    private static CompletableFuture<ConnectResult> connect(AuthChain chain) {
        return chain.connect(new ConnectRequest(CLIENT, false, null, List.of()));
    }

    /** The answer, which must be available at once. */
    private static <T> T now(CompletableFuture<T> future) {
        assertThat(future).isDone();
        return future.join();
    }

    private static Object grantOf(AuthChain chain) {
        Object grant = ((ConnectResult.Accepted) now(connect(chain))).grant();
        assertThat(grant).isNotNull();
        return grant;
    }

    private static AuthDecision publish(AuthChain chain, @Nullable Object grant) {
        return now(chain.publish(new PublishRequest(CLIENT, "t", Qos.AT_MOST_ONCE, false, false, grant)));
    }

    private static AuthDecision subscribe(AuthChain chain, @Nullable Object grant) {
        TopicFilter filter = TopicFilter.parse("t").orElseThrow();
        return now(chain.subscribe(new SubscribeRequest(CLIENT, filter, Qos.AT_MOST_ONCE, grant)));
    }

    // ---- CONNECT

    @Test
    void theFirstThatDecidesALoginDecides() {
        second.connects(accepted("ann"));
        third.connects(REFUSED);
        assertThat(((ConnectResult.Accepted) now(connect(chain()))).userName()).isEqualTo("ann");
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void aRefusalIsNotPutRightByTheNext() {
        second.connects(REFUSED);
        third.connects(accepted("ann"));
        assertThat(now(connect(chain()))).isEqualTo(REFUSED);
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void anUnknownClientIsLeftUndecided() {
        assertThat(now(connect(chain()))).isEqualTo(ConnectResult.UNDECIDED);
        assertThat(asked).containsExactly("first", "second", "third");
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void afterAFailureNobodyElseIsAsked(Wrong how) {
        second.goesWrong(how);
        third.connects(accepted("ann")).decides(AuthDecision.ALLOWED);
        CompletableFuture<ConnectResult> answer = connect(chain());
        assertThat(answer.isDone()).isEqualTo(how != Wrong.NEVER);
        if (how != Wrong.NEVER) {
            assertThat(answer).isCompletedExceptionally();
        }
        CompletableFuture<AuthDecision> decision =
                chain().publish(new PublishRequest(CLIENT, "t", Qos.AT_MOST_ONCE, false, false));
        assertThat(decision.isDone()).isEqualTo(how != Wrong.NEVER);
        if (how != Wrong.NEVER) {
            assertThat(decision).isCompletedExceptionally();
        }
        assertThat(asked).containsExactly("first", "second", "first", "second");
    }

    @Test
    void answersMayComeLater() {
        first.go = new CompletableFuture<>();
        second.go = new CompletableFuture<>();
        second.connects(accepted("ann"));
        CompletableFuture<ConnectResult> answer = connect(chain());
        assertThat(asked).containsExactly("first");
        first.go.complete(true);
        assertThat(asked).containsExactly("first", "second");
        assertThat(answer).isNotDone();
        second.go.complete(true);
        assertThat(now(answer)).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(asked).containsExactly("first", "second");
    }

    /** A provider that does not check logins must not admit everybody because "not checked" means "allowed". */
    @Test
    void aProviderThatDoesNotCheckLoginsAcceptsNobody() {
        first.checking(AuthCheck.PUBLISH);
        second.checking(AuthCheck.SUBSCRIBE);
        third.checking();
        AuthChain chain = chain();
        assertThat(chain.checks()).contains(AuthCheck.CONNECT);
        assertThat(now(connect(chain))).isEqualTo(ConnectResult.UNDECIDED);
        assertThat(asked).isEmpty();
    }

    // ---- what a client may do

    @Test
    void theProviderThatAcceptedAClientDecidesItsRights() {
        first.decides(AuthDecision.ALLOWED);
        second.connects(accepted("ann")).decides(DENIED);
        third.decides(AuthDecision.ALLOWED);
        AuthChain chain = chain();
        Object grant = grantOf(chain);
        asked.clear();
        assertThat(publish(chain, grant)).isEqualTo(DENIED);
        assertThat(subscribe(chain, grant)).isEqualTo(DENIED);
        assertThat(asked).containsExactly("second", "second");
        assertThat(second.seen).isEqualTo("rights of ann");
    }

    @Test
    void laterProvidersDecideWhatTheFirstLeavesUndecided() {
        first.decides(AuthDecision.ALLOWED);
        second.connects(accepted("ann"));
        third.decides(DENIED);
        AuthChain chain = chain();
        Object grant = grantOf(chain);
        asked.clear();
        assertThat(publish(chain, grant)).isEqualTo(DENIED);
        assertThat(asked).containsExactly("second", "third");
        assertThat(third.seen)
                .as("a provider does not see the grant of another one")
                .isNull();
        third.decides(AuthDecision.UNDECIDED);
        assertThat(publish(chain, grant)).isEqualTo(AuthDecision.UNDECIDED);
        assertThat(subscribe(chain, grant)).isEqualTo(AuthDecision.UNDECIDED);
    }

    @Test
    void whoDoesNotCheckPublishesAllowsThemToItsOwnClientsAlone() {
        second.connects(accepted("ann"));
        third.checking(AuthCheck.CONNECT);
        AuthChain chain = chain();
        assertThat(publish(chain, grantOf(chain))).isEqualTo(AuthDecision.UNDECIDED);

        second.connects(ConnectResult.UNDECIDED);
        third.connects(accepted("bob"));
        AuthChain other = chain();
        Object grant = grantOf(other);
        asked.clear();
        assertThat(publish(other, grant)).isEqualTo(AuthDecision.ALLOWED);
        assertThat(asked).isEmpty();
    }

    /** Without a grant of this chain, as when an operator subscribes for a client that is not connected. */
    @Test
    void withoutAGrantAllProvidersThatCheckAreAsked() {
        first.checking(AuthCheck.CONNECT);
        third.decides(AuthDecision.ALLOWED);
        AuthChain chain = chain();
        assertThat(subscribe(chain, null)).isEqualTo(AuthDecision.ALLOWED);
        assertThat(subscribe(chain, "rights of ann")).isEqualTo(AuthDecision.ALLOWED);
        assertThat(second.seen).isNull();
        assertThat(asked).containsExactly("second", "third", "second", "third");
    }

    @Test
    void aChangeOfAnyRulesIsSeen() {
        AuthChain chain = chain();
        long before = chain.rulesVersion(CLIENT);
        assertThat(chain.rulesVersion(CLIENT)).isEqualTo(before);
        third.version = 1;
        assertThat(chain.rulesVersion(CLIENT)).isNotEqualTo(before);
        first.version = Long.MIN_VALUE + 1; // unknown now, as guards of plugins report it
        second.version = Long.MIN_VALUE + 2;
        long unknown = chain.rulesVersion(CLIENT);
        assertThat(unknown).isNegative();
        assertThat(chain.rulesVersion(CLIENT)).isNegative().isNotEqualTo(unknown);
    }

    // ---- extended authentication

    private @Nullable AuthExchange begin(String method) {
        return chain().exchange(new ExchangeRequest(method, CLIENT, List.of(), false));
    }

    private static AuthStep step(@Nullable AuthExchange exchange) {
        assertThat(exchange).isNotNull();
        return now(exchange.onData(new byte[0]));
    }

    @Test
    void aMethodIsOfTheFirstThatKnowsIt() {
        AuthStep.Challenge challenge = new AuthStep.Challenge(new byte[] {1});
        second.talks("OTHER");
        third.talks("TALK", challenge, accepted("ann"));
        AuthExchange exchange = begin("TALK");
        assertThat(step(exchange)).isSameAs(challenge);
        assertThat(step(exchange)).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(exchange).isNotNull();
        exchange.close();
        assertThat(asked).containsExactly("second", "second closed", "third", "third", "third closed");
    }

    @Test
    void aMethodThatNobodyKnowsIsUnknown() {
        assertThat(begin("TALK")).isNull();
        second.talks("OTHER");
        assertThat(step(begin("TALK"))).isEqualTo(ClientDecisions.UNKNOWN_METHOD);
        third.talks("TALK", ConnectResult.UNDECIDED);
        assertThat(step(begin("TALK"))).isEqualTo(ConnectResult.UNDECIDED);
    }

    /** Only the first data is passed on to the next provider; after a challenge it is too late. */
    @Test
    void onlyTheFirstAnswerPassesOn() {
        AuthStep.Challenge challenge = new AuthStep.Challenge(new byte[] {1});
        first.talks("TALK", ConnectResult.UNDECIDED);
        second.talks("TALK", challenge, ConnectResult.UNDECIDED);
        third.talks("TALK", accepted("eve"));
        AuthExchange exchange = begin("TALK");
        assertThat(step(exchange)).isSameAs(challenge);
        assertThat(step(exchange)).isEqualTo(ConnectResult.UNDECIDED);
        assertThat(asked).containsExactly("first", "first closed", "second", "second");
    }

    @Test
    void anExchangeLeadsToTheRulesOfItsProvider() {
        second.talks("TALK", accepted("ann")).decides(DENIED);
        third.decides(AuthDecision.ALLOWED);
        AuthChain chain = chain();
        AuthExchange exchange = chain.exchange(new ExchangeRequest("TALK", CLIENT, List.of(), true));
        Object grant = ((ConnectResult.Accepted) step(exchange)).grant();
        assertThat(publish(chain, grant)).isEqualTo(DENIED);
        assertThat(second.seen).isEqualTo("rights of ann");
    }

    @Test
    void aFailureInAnExchangePassesNothingOn() {
        first.talks("TALK").goesWrong(Wrong.FAILS);
        second.talks("TALK", accepted("eve"));
        AuthExchange exchange = begin("TALK");
        assertThat(exchange).isNotNull();
        assertThat(exchange.onData(new byte[0])).isCompletedExceptionally();
        assertThat(asked).containsExactly("first");
    }

    /** The client disconnects while the first provider is asked: the next one is neither asked nor left open. */
    @Test
    void aClientThatHasLeftIsNotPassedToTheNextProvider() {
        first.talks("TALK", ConnectResult.UNDECIDED);
        first.go = new CompletableFuture<>();
        second.talks("TALK", accepted("ann"));
        AuthExchange exchange = begin("TALK");
        assertThat(exchange).isNotNull();
        CompletableFuture<AuthStep> answer = exchange.onData(new byte[0]);
        exchange.close();
        first.go.complete(true);
        assertThat(now(answer)).isEqualTo(ConnectResult.UNDECIDED);
        assertThat(asked).containsExactly("first", "first closed", "second closed");
    }

    @Test
    void providersAreClosedInReverseOrder() {
        third.goesWrong(Wrong.THROWS);
        chain().close();
        assertThat(asked).containsExactly("third closed", "second closed", "first closed");
    }
}
