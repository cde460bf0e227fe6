package io.godwit.plugin.tenant;

/**
 * Makes a {@link TenantSettingsProvider}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code tenantConfig.settingsProvider} names it by {@link #name}, or by its class. Has a public constructor without
 * parameters.
 */
public interface TenantSettingsProviderFactory {
    /** The name in the configuration; unique. */
    String name();

    /**
     * Makes the provider when a node starts. May block; an exception ends the start.
     *
     * @param changes may be called from then on
     */
    TenantSettingsProvider create(TenantChanges changes) throws Exception;
}
