package io.godwit.broker.admin.api;

import io.godwit.broker.admin.api.access.BanCommand;
import io.godwit.broker.admin.api.access.BansCommand;
import io.godwit.broker.admin.api.access.RulesCommand;
import io.godwit.broker.admin.api.access.TokensCommand;
import io.godwit.broker.admin.api.access.UnbanCommand;
import io.godwit.broker.admin.api.access.UsersCommand;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.client.ClientsCommand;
import io.godwit.broker.admin.api.client.GroupsCommand;
import io.godwit.broker.admin.api.client.KickCommand;
import io.godwit.broker.admin.api.client.SessionsCommand;
import io.godwit.broker.admin.api.client.SubscriptionsCommand;
import io.godwit.broker.admin.api.client.WhoCommand;
import io.godwit.broker.admin.api.message.DelayedCommand;
import io.godwit.broker.admin.api.message.EventsCommand;
import io.godwit.broker.admin.api.message.PublishCommand;
import io.godwit.broker.admin.api.message.RetainedCommand;
import io.godwit.broker.admin.api.message.TraceCommand;
import io.godwit.broker.admin.api.node.ConfigCommand;
import io.godwit.broker.admin.api.node.HealthCommand;
import io.godwit.broker.admin.api.node.LogLevelCommand;
import io.godwit.broker.admin.api.node.PluginsCommand;
import io.godwit.broker.admin.api.node.ReplaceCommand;
import io.godwit.broker.admin.api.node.StatsCommand;
import io.godwit.broker.admin.api.node.TopCommand;
import java.util.List;
import picocli.CommandLine;

/** The commands that call the HTTP API, by name. Each is created on demand, since creating takes time. */
public final class ApiCommands {
    public static final List<String> NAMES = List.of(
            "ban",
            "bans",
            "clients",
            "config",
            "delayed",
            "events",
            "groups",
            "health",
            "kick",
            "log-level",
            "plugins",
            "publish",
            "replace",
            "retained",
            "rules",
            "sessions",
            "stats",
            "subscriptions",
            "tokens",
            "top",
            "trace",
            "unban",
            "users",
            "who");

    private ApiCommands() {}

    /** @param name one of {@link #NAMES} */
    public static Object make(String name, Invocation invocation) {
        return switch (name) {
            case "ban" -> new BanCommand(invocation);
            case "bans" -> new BansCommand(invocation);
            case "clients" -> new ClientsCommand(invocation);
            case "config" -> new ConfigCommand(invocation);
            case "delayed" -> line(new DelayedCommand(invocation), new DelayedCommand.Delete(invocation));
            case "events" -> new EventsCommand(invocation);
            case "groups" -> new GroupsCommand(invocation);
            case "health" -> new HealthCommand(invocation);
            case "kick" -> new KickCommand(invocation);
            case "log-level" -> new LogLevelCommand(invocation);
            case "plugins" -> new PluginsCommand(invocation);
            case "publish" -> new PublishCommand(invocation);
            case "replace" -> new ReplaceCommand(invocation);
            case "retained" ->
                line(
                        new RetainedCommand(),
                        new RetainedCommand.ListThem(invocation),
                        new RetainedCommand.Get(invocation),
                        new RetainedCommand.Delete(invocation));
            case "rules" ->
                line(
                        new RulesCommand(invocation),
                        new RulesCommand.Add(invocation),
                        new RulesCommand.Remove(invocation),
                        new RulesCommand.Set(invocation));
            case "sessions" -> new SessionsCommand(invocation);
            case "stats" -> new StatsCommand(invocation);
            case "subscriptions" -> new SubscriptionsCommand(invocation);
            case "tokens" ->
                line(
                        new TokensCommand(invocation),
                        new TokensCommand.Add(invocation),
                        new TokensCommand.Remove(invocation));
            case "top" -> new TopCommand(invocation);
            case "trace" -> new TraceCommand(invocation);
            case "unban" -> new UnbanCommand(invocation);
            case "users" ->
                line(
                        new UsersCommand(invocation),
                        new UsersCommand.Set(invocation),
                        new UsersCommand.Remove(invocation));
            case "who" -> new WhoCommand(invocation);
            default -> throw new IllegalArgumentException("no command " + name);
        };
    }

    private static CommandLine line(Object command, Object... parts) {
        CommandLine line = new CommandLine(command);
        for (Object part : parts) {
            line.addSubcommand(part);
        }
        return line;
    }
}
