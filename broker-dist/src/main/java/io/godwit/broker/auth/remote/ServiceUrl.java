package io.godwit.broker.auth.remote;

import io.godwit.plugin.context.PluginSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the URL of a service from settings. */
public final class ServiceUrl {
    /** Hosts of this machine. */
    private static final Pattern HERE = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");

    private ServiceUrl() {}

    /** Whether other machines could read the requests and forge the answers. */
    public static boolean isInTheClear(URI url) {
        return url.getScheme().equals("http") && !HERE.matcher(url.getHost()).matches();
    }

    /**
     * The URL; null if it is missing or invalid. An invalid one is reported as an error.
     *
     * @param key in {@code settings}
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
            // reported below, without the text, which may hold a secret
        }
        settings.error(key, "must be an http:// or https:// address, without a user and a fragment");
        return null;
    }
}
