package io.godwit.broker.auth.remote;

import io.godwit.plugin.context.PluginSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The address of a service, out of settings. */
public final class ServiceUrl {
    /** Of this machine. */
    private static final Pattern HERE = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");

    private ServiceUrl() {}

    /** Whether others than this machine could read what is said to it and answer in its place. */
    public static boolean isInTheClear(URI url) {
        return url.getScheme().equals("http") && !HERE.matcher(url.getHost()).matches();
    }

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
