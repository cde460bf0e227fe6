package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.InterceptorStep;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.intercept.DeliverInterceptor;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.PublishInterceptor;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.intercept.UserPropertiesCustomizer;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.testing.Await;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interceptors of plugins, well and badly behaved. */
@Timeout(60)
class GuardedInterceptorTest {
    private static final Message MESSAGE =
            new Message("t", new byte[] {1}, Qos.AT_LEAST_ONCE, false, 1, MessageProperties.NONE);

    @TempDir
    Path directory;

    private PluginStage stage;

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private record Factory(PublishInterceptor interceptor, boolean isNonBlocking)
            implements PublishInterceptorFactory, Plugin {
        @Override
        public String name() {
            return "acme";
        }

        @Override
        public PublishInterceptor create() {
            return interceptor;
        }
    }

    private InterceptorStep step(boolean isNonBlocking, PublishInterceptor interceptor) throws Exception {
        PublishInterceptorFactory guarded = stage.host()
                .adopt(
                        PublishInterceptorFactory.class,
                        "publish-interceptor",
                        "acme",
                        new Factory(interceptor, isNonBlocking),
                        stage.home());
        stage.host().start();
        return Objects.requireNonNull(((InterceptorSource) guarded).make().publish());
    }

    private static Intercepted run(InterceptorStep step, Message message) throws Exception {
        return Objects.requireNonNull(InterceptorChain.of(List.of(step)))
                .run(PluginStage.CLIENT, message, (before, after) -> null)
                .get(30, TimeUnit.SECONDS);
    }

    /** One that blocks for ever has a queue that nobody takes from. */
    @Test
    void aCallWhoseTimeIsOverKeepsNoMessage() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        InterceptorStep step = step(false, (client, message) -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Interception.UNCHANGED;
        });
        for (int i = 0; i < 4; i++) { // all of its threads
            assertThat(step.ask(PluginStage.CLIENT, MESSAGE)).isNotDone();
        }
        WeakReference<Message> message = asked(step);
        Await.until("nobody has the message", () -> {
            System.gc();
            return message.get() == null;
        });
        never.countDown();
    }

    private static WeakReference<Message> asked(InterceptorStep step) {
        Message message = MESSAGE.withPayload(new byte[] {2});
        assertThatThrownBy(() -> step.ask(PluginStage.CLIENT, message).get(30, TimeUnit.SECONDS))
                .hasMessageContaining("no time");
        return new WeakReference<>(message);
    }

    @Test
    void anUndeclaredOneIsCalledOnItsOwnThreads() throws Exception {
        AtomicReference<String> thread = new AtomicReference<>();
        InterceptorStep step = step(false, (client, message) -> {
            thread.set(Thread.currentThread().getName());
            return new Interception.Changed(message.withTopic("u"));
        });

        assertThat(run(step, MESSAGE))
                .isInstanceOfSatisfying(
                        Intercepted.Passed.class,
                        passed -> assertThat(passed.message().topic()).isEqualTo("u"));
        assertThat(thread.get()).startsWith("plugin-acme-call-");
        assertThat(stage.state().calls()).isEqualTo(1);
    }

    @Test
    void aDeclaredOneIsCalledOnTheThreadOfWhoAsks() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        InterceptorStep step = step(true, (client, message) -> {
            thread.set(Thread.currentThread());
            return new Interception.Dropped("because");
        });

        assertThat(run(step, MESSAGE)).isEqualTo(new Intercepted.Dropped("acme", "because"));
        assertThat(thread.get()).isSameAs(Thread.currentThread());
    }

    @Test
    void whatItThrowsIsNoAnswer() throws Exception {
        for (boolean isNonBlocking : new boolean[] {true, false}) {
            InterceptorStep step = step(isNonBlocking, (client, message) -> {
                throw new IllegalStateException("no");
            });
            assertThat(run(step, MESSAGE))
                    .isInstanceOfSatisfying(
                            Intercepted.Failed.class,
                            failed -> assertThat(failed.detail())
                                    .contains("plugin acme")
                                    .contains("threw java.lang.IllegalStateException: no"));
            assertThat(stage.hasTold(PluginFault.THREW)).isTrue();
            stage.close();
            stage = new PluginStage(directory, Map.of());
        }
    }

    @Test
    void nullIsNoAnswer() throws Exception {
        InterceptorStep step = step(true, (client, message) -> null);

        assertThat(run(step, MESSAGE)).isInstanceOf(Intercepted.Failed.class);
        assertThat(stage.hasTold(PluginFault.NULL_ANSWER)).isTrue();
    }

    @Test
    void whoBlocksForEverGivesNoAnswerAndALateOneHasNoEffect() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        InterceptorStep step = step(false, (client, message) -> {
            while (late.getCount() > 0) {
                try {
                    late.await();
                } catch (InterruptedException e) {
                    // it does not care
                }
            }
            return Interception.UNCHANGED;
        });

        assertThat(run(step, MESSAGE)).isInstanceOf(Intercepted.Failed.class);
        assertThat(stage.hasTold(PluginFault.NO_ANSWER)).isTrue();
        late.countDown();
        Await.until("it is late", () -> stage.hasTold(PluginFault.LATE_ANSWER));
    }

    /**
     * A call that was never made must be distinguishable, as a copy that has been acknowledged to its publisher can
     * wait for a thread.
     */
    @Test
    void aCallWhoseTurnDoesNotComeWasNotAsked() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        InterceptorStep step = step(false, (client, message) -> {
            begun.incrementAndGet();
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // it does not care
                }
            }
            return Interception.UNCHANGED;
        });
        InterceptorChain chain = Objects.requireNonNull(InterceptorChain.of(List.of(step)));
        List<CompletableFuture<Intercepted>> asked = new ArrayList<>();
        for (int i = 0; i < 6; i++) { // of four threads
            asked.add(chain.run(PluginStage.CLIENT, MESSAGE, (before, after) -> null));
        }
        List<Boolean> wereAsked = new ArrayList<>();
        for (CompletableFuture<Intercepted> each : asked) {
            wereAsked.add(((Intercepted.Failed) each.get(30, TimeUnit.SECONDS)).wasAsked());
        }
        assertThat(wereAsked).containsExactly(true, true, true, true, false, false);
        end.countDown();
        assertThat(begun).as("calls that were given up do not begin later").hasValue(4);
    }

    @Test
    void aChangeThatIsNotAllowedIsAFault() throws Exception {
        InterceptorStep step = step(true, (client, message) -> new Interception.Changed(message.withTopic("u")));
        Intercepted outcome = Objects.requireNonNull(InterceptorChain.of(List.of(step)))
                .run(PluginStage.CLIENT, MESSAGE, new MessageBounds(1_000).ofDelivery())
                .get(30, TimeUnit.SECONDS);

        assertThat(outcome).isInstanceOf(Intercepted.Failed.class);
        assertThat(stage.counted("invalid-answer")).isEqualTo(1);
    }

    @Test
    void userPropertiesAreChangedWhereTheCustomizerSaysHow() throws Exception {
        UserPropertiesCustomizerFactory factory = new UserPropertiesCustomizerFactory() {
            @Override
            public String name() {
                return "acme";
            }

            @Override
            public UserPropertiesCustomizer create() {
                return new UserPropertiesCustomizer() {
                    @Override
                    public List<UserProperty> onPublish(ClientInfo publisher, Message message) {
                        return List.of(
                                new UserProperty("from", publisher.clientId().value()));
                    }
                };
            }
        };
        UserPropertiesCustomizerFactory guarded = stage.host()
                .adopt(
                        UserPropertiesCustomizerFactory.class,
                        "user-properties-customizer",
                        "acme",
                        factory,
                        stage.home());
        InterceptorSource.Steps steps = ((InterceptorSource) guarded).make();

        assertThat(steps.deliver())
                .as("a step that is not implemented is not called")
                .isNull();
        Intercepted outcome = run(Objects.requireNonNull(steps.publish()), MESSAGE);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Intercepted.Passed.class,
                        passed -> assertThat(passed.message().properties().userProperties())
                                .containsExactly(new UserProperty("from", "c")));
    }

    @Test
    void oneThatIsNotMadeEndsTheStart() throws Exception {
        assertThatThrownBy(() -> step(true, null)).hasMessageContaining("null instead of an interceptor");
        DeliverInterceptorFactory throwing = new DeliverInterceptorFactory() {
            @Override
            public String name() {
                return "other";
            }

            @Override
            public DeliverInterceptor create() {
                throw new IllegalStateException("no file");
            }
        };
        DeliverInterceptorFactory guarded = stage.host()
                .adopt(DeliverInterceptorFactory.class, "deliver-interceptor", "other", throwing, stage.home());
        assertThatThrownBy(() -> ((InterceptorSource) guarded).make())
                .hasMessageContaining("other")
                .hasMessageContaining("no file");
    }
}
