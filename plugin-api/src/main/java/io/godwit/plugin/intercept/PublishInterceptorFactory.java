package io.godwit.plugin.intercept;

/**
 * Makes a {@link PublishInterceptor}. A plugin jar lists its factory in
 * {@code META-INF/services/io.godwit.plugin.intercept.PublishInterceptorFactory}; the configuration names it under
 * {@code pluginConfig.publishInterceptors}. If there are several, each gets the message as the one before left it.
 *
 * <p>A factory that also implements {@link io.godwit.plugin.context.Plugin} gets a context and a life cycle.
 */
public interface PublishInterceptorFactory {
    /** The name in the configuration. */
    String name();

    /**
     * Called once, after {@link io.godwit.plugin.context.Plugin#start} and before the broker takes connections. May
     * block for at most 60 seconds.
     *
     * @return not null
     * @throws Exception ends the start of the broker
     */
    PublishInterceptor create() throws Exception;
}
