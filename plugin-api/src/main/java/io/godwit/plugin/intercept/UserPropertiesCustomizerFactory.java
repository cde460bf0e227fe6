package io.godwit.plugin.intercept;

/**
 * Makes a {@link UserPropertiesCustomizer}. A plugin jar lists its factory in
 * {@code META-INF/services/io.godwit.plugin.intercept.UserPropertiesCustomizerFactory}; the configuration names it
 * under {@code pluginConfig.userProperties}. If there are several, each gets the message as the one before left it.
 *
 * <p>A factory that also implements {@link io.godwit.plugin.context.Plugin} gets a context and a life cycle.
 */
public interface UserPropertiesCustomizerFactory {
    /** The name in the configuration. */
    String name();

    /**
     * Called once, after {@link io.godwit.plugin.context.Plugin#start} and before the broker takes connections. May
     * block for at most 60 seconds.
     *
     * @return not null
     * @throws Exception ends the start of the broker
     */
    UserPropertiesCustomizer create() throws Exception;
}
