package io.godwit.broker.auth.remote;

import io.godwit.plugin.context.PluginSettings;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/** The address of a service, out of settings. */
public final class ServiceUrl {
    private ServiceUrl() {}

    /**
     * Null when it is not given or not valid, which is noted as an error.
     *
     * @param key of {@code settings}
     */
    public static @Nullable URI of(PluginSettings settings, String key) {
        String text = settings.secret(key, "");
        if (text.isEmpty()) {
            return null;
        }
        try {
            URI url = new URI(text);
            boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (isHttp && url.getHost() != null && url.getUserInfo() == null && url.getFragment() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // told below, without the text: it may hold a secret
        }
        settings.error(key, "must be an http:// or https:// address, without a user and a fragment");
        return null;
    }
}
