"""Tests of the REST API with a client generated from openapi.yaml alone."""

import datetime
import importlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

from server import EMAIL, PASSWORD, PHONE, Server

HERE = os.path.dirname(os.path.abspath(__file__))
TRADEBOOK = b"""\
symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time
INFY,INE009A01021,2025-06-02,NSE,EQ,EQ,buy,false,10,1500.5,400000001,1100000000001,2025-06-02T09:21:07
INFY,INE009A01021,2025-06-05,NSE,EQ,EQ,sell,false,many,1532.25,400000002,1100000000002,2025-06-05T14:03:11
"""


def generate_client(folder):
    """Generates the client; fails if a part of the API description is not supported."""
    generator = os.path.join(os.path.dirname(sys.executable), "openapi-python-client")
    flags = ["--path", os.path.abspath("openapi.yaml"), "--config", os.path.join(HERE, "client.yaml")]
    output = ["--output-path", os.path.join(folder, "tradebahi_client"), "--meta", "none", "--fail-on-warning"]
    result = subprocess.run([generator, "generate", *flags, *output], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    sys.path.insert(0, folder)


def operation(path):
    return importlib.import_module(f"tradebahi_client.api.{path}").sync_detailed


class GeneratedClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        generate_client(folder.name)
        cls.client = importlib.import_module("tradebahi_client")
        cls.models = importlib.import_module("tradebahi_client.models")
        cls.types = importlib.import_module("tradebahi_client.types")
        server = Server()
        cls.addClassCleanup(server.stop)
        server.wait_until_ready()
        cls.anonymous = cls.client.Client(base_url=f"{server.url}/api/v1")
        cls.site = cls.client.Client(base_url=server.url)
        registration = cls.models.Registration(
            name="Asha Rao", email=EMAIL, phone=PHONE, password=PASSWORD, confirm_password=PASSWORD
        )
        response = operation("auth.register")(client=cls.anonymous, body=registration)
        assert response.status_code == 201, response
        login = cls.models.Login(email=EMAIL, password=PASSWORD)
        session = operation("auth.login")(client=cls.anonymous, body=login).parsed
        cls.trader = cls.client.AuthenticatedClient(base_url=f"{server.url}/api/v1", token=session.data.token)

    def add(self, side, price):
        trade = self.models.NewTrade(
            symbol="SBIN", price=price, quantity=20, timestamp="2025-06-03T10:30", type_=side, pair_id="one-entry"
        )
        body = self.models.AddTradeBody(
            broker=self.models.Broker.GROWW, tradetype=self.models.TradeType.EQUITY, trade=trade
        )
        return operation("trades.add_trade")(client=self.trader, body=body, prefer="return=minimal").parsed

    def test_a_wrong_password_returns_a_problem_with_a_code(self):
        login = self.models.Login(email=EMAIL, password="wrong")
        response = operation("auth.login")(client=self.anonymous, body=login)
        self.assertEqual((response.status_code, response.parsed.code), (401, "invalid_credentials"))

    def test_added_trades_of_a_pair_are_read_back(self):
        self.add(self.models.Side.BUY, 800.1)
        self.assertEqual(self.add(self.models.Side.SELL, 812.4).trade.value, 16248)
        record = operation("trades.get_client")(client=self.trader, q="SBIN", limit=10).parsed
        self.assertEqual(sorted(trade.price for trade in record.trades), [800.1, 812.4])
        self.assertEqual({trade.pair_id for trade in record.trades}, {"one-entry"})
        self.assertEqual({trade.timestamp.hour for trade in record.trades}, {5}, "10:30 in India")

    def test_a_file_is_previewed_imported_and_undone(self):
        file = self.types.File(payload=io.BytesIO(TRADEBOOK), file_name="tradebook-EQ.csv", mime_type="text/csv")
        broker, tradetype = self.models.Broker.ZERODHA, self.models.TradeType.EQUITY
        form = self.models.FileForm(file=file, broker=broker, tradetype=tradetype)
        preview = operation("trades.preview_upload")(client=self.trader, body=form).parsed
        self.assertEqual((preview.added, preview.rejected_total), (1, 1))
        self.assertEqual((preview.rejected[0].column, preview.rejected[0].value), ("I", "many"))

        commit = self.models.UploadForm(preview_id=preview.id, state=preview.state)
        stored = operation("trades.upload_excel")(client=self.trader, body=commit).parsed
        self.assertEqual(stored.import_.added, 1)
        undone = operation("trades.undo_change")(
            stored.import_.change_id, client=self.trader, body=self.models.UndoChangeBody(newer=0)
        )
        self.assertEqual(undone.parsed.removed, 1)

    def test_openings_are_public(self):
        openings = operation("careers.list_openings")(client=self.site).parsed.openings
        self.assertGreater(len(openings), 0)
        opening = operation("careers.get_job_description")(openings[0].id, client=self.site).parsed
        self.assertEqual(opening.title, openings[0].title)
        self.assertGreaterEqual(opening.last_date, datetime.date.today())
        unknown = operation("careers.get_job_description")("XX1", client=self.site)
        self.assertEqual((unknown.status_code, unknown.parsed.code), (404, "opening_not_found"))


if __name__ == "__main__":
    unittest.main()
