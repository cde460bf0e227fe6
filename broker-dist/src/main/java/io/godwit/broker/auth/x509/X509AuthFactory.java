package io.godwit.broker.auth.x509;

import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginSettings;

/** Creates the auth provider {@code x509}. Named in META-INF/services. */
public final class X509AuthFactory implements AuthProviderFactory, Plugin {
    private X509Auth.UserFrom user = X509Auth.UserFrom.COMMON_NAME;
    private X509Auth.TenantFrom tenant = X509Auth.TenantFrom.NONE;
    private WithoutAcl withoutAcl = WithoutAcl.PASS;

    /** What clients may do, since a certificate grants no rights. */
    enum WithoutAcl {
        /** The next provider decides. */
        PASS,
        /** Everything. */
        ALLOW
    }

    @Override
    public String name() {
        return "x509";
    }

    @Override
    public void create(PluginContext context) {
        PluginSettings settings = context.settings();
        user = settings.choice("user", X509Auth.UserFrom.COMMON_NAME);
        tenant = settings.choice("tenant", X509Auth.TenantFrom.NONE);
        withoutAcl = settings.choice("withoutAcl", WithoutAcl.PASS);
    }

    /** The provider only looks up values. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public AuthProvider create() {
        return new X509Auth(user, tenant, withoutAcl == WithoutAcl.ALLOW);
    }
}
