package io.godwit.mqtt.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InterceptorChainTest {
    private static final ClientInfo CLIENT =
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1", 5);
    private static final Message MESSAGE =
            new Message("t", new byte[0], Qos.AT_LEAST_ONCE, false, 1, MessageProperties.NONE);

    /** The caller must get an answer: rules may not foresee everything that a plugin can make. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rulesThatThrowMakeNoAnswer(boolean atOnce) throws Exception {
        List<String> invalid = new CopyOnWriteArrayList<>();
        CompletableFuture<Interception> answer = new CompletableFuture<>();
        InterceptorStep step = new InterceptorStep() {
            @Override
            public String plugin() {
                return "acme";
            }

            @Override
            public CompletableFuture<Interception> ask(ClientInfo client, Message message) {
                return answer;
            }

            @Override
            public boolean wasAsked(Throwable failure) {
                return !(failure instanceof RejectedExecutionException);
            }

            @Override
            public void invalid(String detail) {
                invalid.add(detail);
            }
        };
        Interception changed = new Interception.Changed(MESSAGE.withTopic("u"));
        if (atOnce) {
            answer.complete(changed);
        }
        CompletableFuture<Intercepted> outcome = Objects.requireNonNull(InterceptorChain.of(List.of(step)))
                .run(CLIENT, MESSAGE, (before, after) -> {
                    throw new IllegalStateException("not thought of");
                });
        answer.complete(changed);
        assertThat(outcome.get(10, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Intercepted.Failed.class,
                        failed -> assertThat(failed.detail()).contains("not thought of"));
        assertThat(invalid).hasSize(1);
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // as a plugin may be compiled
    void aUserPropertyHasANameAndAValue() {
        assertThatThrownBy(() -> new UserProperty("a", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new UserProperty(null, "a")).isInstanceOf(NullPointerException.class);
    }
}
