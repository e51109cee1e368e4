package io.muster.agent;

import io.muster.agent.settings.SettingsReader;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the agent of one node until it gets SIGTERM or SIGINT; then all ranks are ended (at most 3 s grace), that is
 * told, and the process ends within 6 s. Wrong settings are said all at once and nothing is started (exit code 2); so
 * for a folder that another agent uses or a port that is taken. SIGKILL leaves the ranks, and the next agent with the
 * same folder adopts them.
 */
public final class NodeAgent {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

    private NodeAgent() {}

    public static void main(String[] arguments) throws InterruptedException {
        switch (SettingsReader.read(System.getenv())) {
            case SettingsReader.Reading.Unusable unusable -> {
                unusable.problems().forEach(problem -> System.err.println("muster agent: " + problem));
                System.exit(2);
            }
            case SettingsReader.Reading.Usable usable -> {
                try {
                    RunningAgent agent = RunningAgent.start(usable.settings());
                    CountDownLatch ended = new CountDownLatch(1);
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                        agent.stop();
                        ended.countDown();
                    }));
                    ended.await();
                } catch (IOException impossible) {
                    LOG.error("{}", impossible.getMessage());
                    System.err.println("muster agent: " + impossible.getMessage());
                    System.exit(2);
                }
            }
        }
    }
}
